// What counts as text: valid UTF-8 without a NUL, judged over all the bytes in hand and never over a sample cut through a character.
import { isUtf8 } from 'node:buffer';
import { sha256 } from '../../base/digest.ts';
import { Failed } from '../../failed.ts';

/** The text of `bytes` exactly as it is: line endings and a byte order mark stay. Throws UNSUPPORTED_ENCODING. */
export function decodeText(bytes: Buffer): string {
  const reason = whyNotText(bytes);
  if (reason !== null) throw notText(bytes, { reason });
  return bytes.toString('utf8');
}

/** null for text; otherwise what stands against it, in plain words. */
export function whyNotText(bytes: Buffer): string | null {
  if (hasWideMark(bytes)) return 'it is UTF-16 or UTF-32 text';
  if (bytes.includes(0)) return 'it holds a NUL byte';
  return isUtf8(bytes) ? null : 'it is not valid UTF-8';
}

/** A byte order mark of UTF-16 or UTF-32. */
export function hasWideMark(bytes: Buffer): boolean {
  const [first, second] = bytes;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || bytes.subarray(0, 4).equals(wideMark);
}
const wideMark = Buffer.from([0, 0, 0xfe, 0xff]);

/** The refusal of a file that is not text: what it is, how large, and its hash. `whole` when `bytes` are only a part of it. */
export function notText(bytes: Buffer, { reason, whole }: { reason: string; whole?: { size: number; hash: string | null } }): Failed {
  const kind = kindOf(bytes);
  return new Failed('UNSUPPORTED_ENCODING', `This is not UTF-8 text: ${reason}. It looks like ${kind}.`, {
    ...(kind.endsWith('image') ? { recovery: 'Use read_image for a PNG, JPEG, GIF or WebP.' } : {}),
    detail: { kind, bytes: whole?.size ?? bytes.length, hash: whole === undefined ? sha256(bytes) : whole.hash },
  });
}

const signatures: readonly (readonly [string, string, number?])[] = [
  ['89504e470d0a1a0a', 'a PNG image'],
  ['ffd8ff', 'a JPEG image'],
  ['47494638', 'a GIF image'],
  ['57454250', 'a WebP image', 8],
  ['7f454c46', 'an ELF program'],
  ['4d5a', 'a Windows program'],
  ['cffaedfe', 'a Mach-O program'],
  ['cafebabe', 'a Mach-O program or a Java class'],
  ['25504446', 'a PDF document'],
  ['504b0304', 'a ZIP archive or an office document'],
  ['1f8b', 'a gzip archive'],
  ['28b52ffd', 'a Zstandard archive'],
  ['377abcaf271c', 'a 7z archive'],
  ['0061736d', 'a WebAssembly module'],
  ['53514c69746520666f726d6174203300', 'an SQLite database'],
  ['774f4632', 'a font'],
  ['fffe', 'UTF-16 text'],
  ['feff', 'UTF-16 text'],
];

function kindOf(bytes: Buffer): string {
  const found = signatures.find(([hex, , at = 0]) => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex);
  return found?.[1] ?? (bytes.includes(0) ? 'binary data' : 'text in another encoding');
}
