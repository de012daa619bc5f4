// The program's first import: standard output belongs to the protocol or to the one answer, so every stray write goes to stderr (B29).
import { Writable } from 'node:stream';

const write = process.stdout.write.bind(process.stdout) as (chunk: Uint8Array | string, done: (error?: Error | null) => void) => boolean;
process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write;

/** The real standard output, for whoever the command gives it to. */
export const output = new Writable({
  write(chunk: Buffer, _encoding, done) {
    write(chunk, done);
  },
});
process.stdout.on('error', (error) => output.destroy(error));
// Its reader has gone: there is nobody left to tell, and the command learns it from the destroyed stream.
output.on('error', () => undefined);

/** One line for the person or the script that called. */
export const say = (line: string): void => void output.write(`${line}\n`);

/** Resolves once everything said has left, or nobody is there to take it: an exit before would cut it off. */
export const said = (): Promise<void> => new Promise((resolve) => output.end(() => resolve()));

/** One line beside the answer. */
export const remark = (line: string): void => void process.stderr.write(`${line}\n`);
