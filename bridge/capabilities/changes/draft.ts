// What a call wants done to files, before anyone has looked at the disk.
import { Failed } from '../../failed.ts';

export type Draft =
  | {
      kind: 'write';
      path: string;
      bytes: Buffer;
      expectedHash: string;
      createParents: boolean;
      isExecutable?: boolean;
    }
  | {
      kind: 'edit';
      path: string;
      expectedHash: string;
      /** From the bytes that are there to those that shall be there. Throws when it does not fit. */
      edit: (bytes: Buffer) => Buffer;
    }
  | {
      kind: 'delete';
      path: string;
      expectedHash: string;
      /** Throws when the bytes that are there are not the ones to delete. */
      check?: (bytes: Buffer) => void;
      /** The same for bytes too many to hold: whether the ones to delete have this hash. */
      checkHash?: (hash: string) => boolean;
    }
  | { kind: 'move'; path: string; destPath: string; expectedHash: string }
  | { kind: 'mkdir'; path: string };

/** A text as the bytes of a file. */
export function bytesOf(content: string): Buffer {
  if (!content.isWellFormed())
    throw new Failed('INVALID_INPUT', 'The content holds half of a character pair, which no UTF-8 file can hold. Nothing was written.');
  return Buffer.from(content, 'utf8');
}
