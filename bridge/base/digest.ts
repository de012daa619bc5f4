// Digests as the rest of the bridge writes them: lower-case hexadecimal SHA-256.
import { createHash } from 'node:crypto';

/** SHA-256 of bytes or of a text's UTF-8, as 64 lower-case hex digits. */
export const sha256 = (data: Uint8Array | string): string => createHash('sha256').update(data).digest('hex');
