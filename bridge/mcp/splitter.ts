// Cuts a byte stream into lines, each byte looked at once; of a line beyond the limit only its two ends are kept.

export interface Splitter {
  push(chunk: Buffer): void;
}

export interface Splitting {
  limitBytes: number;
  onLine: (line: Buffer) => void;
  /** Called once for each line that passed the limit, at its end, with its first and last bytes. */
  onTooLong: (ends: { head: Buffer; tail: Buffer }) => void;
}

const NEWLINE = 0x0a;
/** Enough for what a message says of itself before and after its arguments. */
const ENDS_BYTES = 512;

export function createSplitter({ limitBytes, onLine, onTooLong }: Splitting): Splitter {
  let parts: Buffer[] = [];
  let size = 0;
  let skipped: { head: Buffer; tail: Buffer } | null = null;

  function keep(part: Buffer): void {
    if (part.length === 0) return;
    size += part.length;
    if (skipped === null && size <= limitBytes) return void parts.push(part);
    skipped ??= { head: Buffer.concat([...parts, part]).subarray(0, ENDS_BYTES), tail: Buffer.concat(parts).subarray(-ENDS_BYTES) };
    // Copies, so that no large chunk is held by a small piece of it.
    skipped = { head: Buffer.from(skipped.head), tail: Buffer.concat([skipped.tail, part.subarray(-ENDS_BYTES)]).subarray(-ENDS_BYTES) };
    parts = [];
  }

  function end(): void {
    const ends = skipped;
    const line = Buffer.concat(parts, ends === null ? size : 0);
    parts = [];
    size = 0;
    skipped = null;
    if (ends === null) onLine(line);
    else onTooLong(ends);
  }

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
        keep(chunk.subarray(from, at));
        end();
        from = at + 1;
      }
      keep(chunk.subarray(from));
    },
  };
}
