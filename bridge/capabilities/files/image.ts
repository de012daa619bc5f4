// An image recognised by its bytes; a name proves nothing.
import { readBytes } from './bytes.ts';
import { notText } from './text.ts';

export interface Image {
  path: string;
  mimeType: string;
  bytes: Buffer;
  hash: string;
}

/** Throws UNSUPPORTED_ENCODING for anything but PNG, JPEG, GIF and WebP, FILE_TOO_LARGE beyond `maxBytes`. */
export async function readImage(root: string, path: string, maxBytes: number): Promise<Image> {
  const { located, bytes, hash } = await readBytes(root, path, maxBytes);
  const mimeType = mimeTypeOf(bytes);
  if (mimeType === null) throw notText(bytes, { reason: 'nor is it a PNG, JPEG, GIF or WebP image' });
  return { path: located.relative, mimeType, bytes, hash };
}

function mimeTypeOf(bytes: Buffer): string | null {
  const begins = (hex: string, at = 0) => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex;
  if (begins('89504e470d0a1a0a')) return 'image/png';
  if (begins('ffd8ff')) return 'image/jpeg';
  if (begins('474946383761') || begins('474946383961')) return 'image/gif';
  return begins('52494646') && begins('57454250', 8) ? 'image/webp' : null;
}
