// The bytes of a file as the store takes them: piece by piece, from one opening that is proven before the first and after the last.
import type { Stream } from '../../base/blobs/blobs.ts';
import { atRest, openEntry, type Peek } from '../../base/fs/peek.ts';
import { piecesOf } from '../../base/fs/pieces.ts';
import { assertUnchanged } from '../../base/fs/read.ts';
import { Failed } from '../../failed.ts';
import type { Places } from './places.ts';

export interface Wanted {
  path: string;
  hash: string;
  size: number;
  /** Told, after the last piece, which file it was: when the hash is the wanted one, that file had it at that moment. */
  seen?: (found: Peek) => void;
}

/** FILE_CHANGED, while it is read, when it is not the wanted file or does not stay so. The places must be held until then. */
export function fileStream(places: Places, { path, hash, size, seen }: Wanted): Stream {
  const unlike = () =>
    new Failed('FILE_CHANGED', `${JSON.stringify(path)} was changed from outside while its bytes were being kept. Nothing was changed.`, {
      recovery: 'Read the file again and send the change with its current hash.',
      detail: { path },
    });
  async function* pieces() {
    const opened = openEntry(places.entry(path));
    if (opened === null) throw unlike();
    try {
      const file = await atRest(opened);
      if (file.size !== size) throw unlike();
      yield* piecesOf(file.fd, size);
      assertUnchanged(file);
      seen?.({ kind: 'file', hash, stats: file.stats });
    } finally {
      opened.close();
    }
  }
  return { hash, size, pieces, unlike };
}
