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

const ID = String.raw`"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,16})`;
/** Before the arguments, or as the very last member: a quote inside a string is escaped, so neither can be part of one. */
const FIRST = new RegExp(String.raw`^\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*${ID}\s*,`);
const LAST = new RegExp(String.raw`,\s*${ID}(?:\s*,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*")*\s*\}\s*$`);

/** The id of a message too long to read, by its first and last bytes; its sender would wait for ever for an answer without one. */
export function idAtEnds({ head, tail }: { head: Buffer; tail: Buffer }): string | number | null {
  const found = FIRST.exec(head.toString('utf8'))?.[1] ?? LAST.exec(tail.toString('utf8'))?.[1];
  return found === undefined ? null : (JSON.parse(found) as string | number);
}
