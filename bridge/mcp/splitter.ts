// Cuts a byte stream into lines, each byte looked at once; a line beyond the limit is dropped without being kept.

export interface Splitter {
  push(chunk: Buffer): void;
}

export interface Splitting {
  limitBytes: number;
  onLine: (line: Buffer) => void;
  /** Called once for each line that passes the limit, as soon as it does. */
  onTooLong: () => void;
}

const NEWLINE = 0x0a;

export function createSplitter({ limitBytes, onLine, onTooLong }: Splitting): Splitter {
  let parts: Buffer[] = [];
  let size = 0;
  let isSkipping = false;

  function keep(part: Buffer): void {
    if (isSkipping || part.length === 0) return;
    size += part.length;
    if (size <= limitBytes) return void parts.push(part);
    isSkipping = true;
    parts = [];
    onTooLong();
  }

  function end(): void {
    const line = isSkipping ? null : Buffer.concat(parts, size);
    parts = [];
    size = 0;
    isSkipping = false;
    if (line !== null) onLine(line);
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
