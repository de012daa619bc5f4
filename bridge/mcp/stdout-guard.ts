// Imported before anything else: from then on a stray write to standard output goes to standard error (B29).
import { Writable } from 'node:stream';

const writeToStdout = process.stdout.write.bind(process.stdout);

/** The only way to the real standard output: protocol lines, or what a command was asked to print. */
export const stdout: Writable = new Writable({
  decodeStrings: false,
  write(chunk: Buffer | string, encoding, done) {
    // Done in the same turn when the pipe took it all: a later line must not wait in a process that is about to exit.
    if (writeToStdout(chunk, encoding)) done();
    else process.stdout.once('drain', done);
  },
});

// A reader that has gone ends the stream; whoever needs to know listens for 'close'.
process.stdout.on('error', () => stdout.destroy());
process.stdout.write = process.stderr.write.bind(process.stderr);
