// JSON-RPC over a pair of streams, a message a line. A bad line is answered and forgotten; only the peer ends the connection.
import type { Readable, Writable } from 'node:stream';
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import { rpc, rpcError } from './failure.ts';
import { LAST_ANSWERS_MS, REQUEST_BODY_BYTES } from './limits.ts';
import { idAtEnds, readMessage } from './message.ts';
import { createSplitter } from './splitter.ts';

export interface Streams {
  input: Readable;
  output: Writable;
  limitBytes?: number;
  lastAnswersMs?: number;
}

const CARRIAGE_RETURN = 0x0d;

/**
 * The SDK's own stdio transport drops a line that is no JSON without a word, ends the connection over one that is too
 * long, and copies a message again for every chunk it arrives in.
 */
export class LineTransport implements Transport {
  onmessage?: Transport['onmessage'];
  onerror?: Transport['onerror'];
  onclose?: Transport['onclose'];
  readonly closed: Promise<void>;

  readonly #input: Readable;
  readonly #output: Writable;
  readonly #limitBytes: number;
  readonly #lastAnswersMs: number;
  readonly #unanswered = new Set<unknown>();
  #isLast = false;
  #isClosed = false;
  #resolveClosed: () => void = () => undefined;

  constructor({ input, output, limitBytes = REQUEST_BODY_BYTES, lastAnswersMs = LAST_ANSWERS_MS }: Streams) {
    this.#input = input;
    this.#output = output;
    this.#limitBytes = limitBytes;
    this.#lastAnswersMs = lastAnswersMs;
    this.closed = new Promise((resolve) => (this.#resolveClosed = resolve));
  }

  async start(): Promise<void> {
    const { push } = createSplitter({
      limitBytes: this.#limitBytes,
      onLine: (line) => this.#receive(line),
      onTooLong: (ends) =>
        this.#write(rpcError(rpc.invalidRequest, `The message is longer than ${this.#limitBytes} bytes. It was not read.`, idAtEnds(ends))),
    });
    // These two stay to the end: a write that fails after it must not become an uncaught exception.
    this.#output.on('error', () => this.#end()).on('close', () => this.#end());
    this.#input.on('error', (error: Error) => this.onerror?.(error));
    this.#input.on('end', this.#lastWord).on('close', this.#lastWord);
    this.#input.on('data', (chunk: Buffer | string) => {
      if (!this.#isClosed) push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    });
    if (this.#input.readableEnded || this.#input.destroyed) setImmediate(this.#lastWord);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (this.#isClosed) throw new Error('The connection is closed.');
    const isTaken = this.#write(message);
    if (!('method' in message)) this.#settle(message.id);
    if (!isTaken) await Promise.race([this.closed, new Promise((resolve) => this.#output.once('drain', resolve))]);
  }

  async close(): Promise<void> {
    this.#end();
  }

  #receive(line: Buffer): void {
    if (line.length === 0 || (line.length === 1 && line[0] === CARRIAGE_RETURN)) return;
    const { value, error } = readMessage(line);
    if (error !== undefined) return void this.#write(error);
    if ('method' in value && 'id' in value) this.#unanswered.add(value.id);
    if ('method' in value && value.method === 'notifications/cancelled') this.#settle(value.params?.['requestId']);
    this.onmessage?.(value);
  }

  #write(message: unknown): boolean {
    return this.#isClosed || this.#output.write(`${JSON.stringify(message)}\n`);
  }

  #settle(id: unknown): void {
    this.#unanswered.delete(id);
    if (this.#isLast && this.#unanswered.size === 0) this.#end();
  }

  /** The peer has said all it will; what it asked before is still answered, so that a piped script gets its answers. */
  readonly #lastWord = (): void => {
    if (this.#isLast) return;
    this.#isLast = true;
    if (this.#unanswered.size === 0) this.#end();
    else setTimeout(() => this.#end(), this.#lastAnswersMs).unref();
  };

  #end(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#input.pause();
    this.#resolveClosed();
    this.onclose?.();
  }
}
