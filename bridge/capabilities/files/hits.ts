// Understands what ripgrep prints, as it comes: `path NUL line:column:text`, one line a matching line, files one after another.

export interface Hit {
  line: number;
  /** One-based, in bytes. */
  column: number;
  /** The line as ripgrep saw it, or its word that the line was too long to print. */
  text: Buffer;
}

export interface FileHits {
  /** Matching lines in all. */
  count: number;
  /** The first ones asked for. */
  hits: Hit[];
}

export interface HitReader {
  push(chunk: Buffer): void;
  files: Map<string, FileHits>;
  /** Files in which ripgrep met a NUL byte after or before a match. */
  binary: Set<string>;
}

export interface HitRequest {
  isKnown(path: string): boolean;
  /** Whether this hit is to be kept, given how many of its file already are; every hit is counted. */
  wants(path: string, line: number, kept: number): boolean;
}

const NUL = 0;
const NEWLINE = 10;
const COLON = 58;
const binaryNotice = /^(.*): binary file matches \(found "\\0" byte around offset \d+\)$/s;

export function createHitReader(request: HitRequest): HitReader {
  const files = new Map<string, FileHits>();
  const binary = new Set<string>();
  let rest: Buffer = Buffer.alloc(0);
  let latest: { path: string; prefix: Buffer; found: FileHits } | null = null;

  const fileAt = (prefix: Buffer) => {
    if (latest !== null && latest.prefix.equals(prefix)) return latest;
    const path = pathIn(prefix.toString('utf8'), request, binary);
    if (path === null) return null;
    const found = files.get(path) ?? { count: 0, hits: [] };
    files.set(path, found);
    latest = { path, prefix: Buffer.from(prefix), found };
    return latest;
  };

  return {
    files,
    binary,
    push(chunk) {
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      let at = 0;
      for (;;) {
        const nul = bytes.indexOf(NUL, at);
        const end = nul < 0 ? -1 : bytes.indexOf(NEWLINE, nul);
        if (end < 0) break;
        const file = fileAt(bytes.subarray(at, nul));
        if (file !== null) take(file, bytes.subarray(nul + 1, end), request);
        at = end + 1;
      }
      rest = bytes.subarray(at);
      if (!rest.includes(NUL)) noticesIn(rest.toString('utf8'), binary);
    },
  };
}

function take(file: { path: string; found: FileHits }, record: Buffer, request: HitRequest): void {
  const { path, found } = file;
  found.count += 1;
  const first = record.indexOf(COLON);
  const second = record.indexOf(COLON, first + 1);
  const line = Number(record.toString('latin1', 0, first));
  if (!request.wants(path, line, found.hits.length)) return;
  found.hits.push({ line, column: Number(record.toString('latin1', first + 1, second)), text: record.subarray(second + 1) });
}

/** A notice about a binary file stands on a line of its own before the next path, which may itself hold a line break. */
function pathIn(prefix: string, request: HitRequest, binary: Set<string>): string | null {
  for (let start = 0; start >= 0; start = prefix.indexOf('\n', start) + 1 || -1) {
    const path = withoutDot(prefix.slice(start));
    if (request.isKnown(path)) {
      noticesIn(prefix.slice(0, start), binary);
      return path;
    }
  }
  return null;
}

function noticesIn(text: string, binary: Set<string>): void {
  for (const line of text.split('\n')) {
    const path = binaryNotice.exec(line)?.[1];
    if (path !== undefined) binary.add(withoutDot(path));
  }
}

const withoutDot = (path: string) => (path.startsWith('./') ? path.slice(2) : path);
