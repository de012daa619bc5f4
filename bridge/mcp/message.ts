// One JSON-RPC message out of a client's bytes, or the JSON-RPC error that answers what is none.
import { isUtf8 } from 'node:buffer';
import { type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/server';
import { parseJson } from '../base/http/json.ts';
import { Failed } from '../failed.ts';
import { rpc, rpcError } from './failure.ts';

export type Reading<Value> = { value: Value; error?: never } | { error: ReturnType<typeof rpcError>; value?: never };

/** The JSON in these bytes. Damaged UTF-8 is refused, because a file could be written from it. */
export function readJsonBytes(bytes: Uint8Array): Reading<unknown> {
  if (!isUtf8(bytes)) return { error: rpcError(rpc.parseError, 'Parse error: the message is not UTF-8.') };
  try {
    return { value: parseJson(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')) };
  } catch (cause) {
    if (!(cause instanceof Failed)) throw cause;
    return { error: rpcError(rpc.parseError, `Parse error. ${cause.message}`) };
  }
}

export function readMessage(bytes: Uint8Array): Reading<JSONRPCMessage> {
  const { value, error } = readJsonBytes(bytes);
  if (error !== undefined) return { error };
  try {
    return { value: parseJSONRPCMessage(value) };
  } catch (cause) {
    if (!(cause instanceof Error) || !('issues' in cause)) throw cause;
    return { error: rpcError(rpc.invalidRequest, 'Invalid request: this is not a JSON-RPC 2.0 message.', idOf(value)) };
  }
}

/** The id to answer under, when the message has one that an answer may carry. */
export function idOf(message: unknown): string | number | null {
  if (message === null || typeof message !== 'object' || !('id' in message)) return null;
  return typeof message.id === 'string' || typeof message.id === 'number' ? message.id : null;
}
