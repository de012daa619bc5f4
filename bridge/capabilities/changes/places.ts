// The folders a change works in, each opened and proven once and held until the end, so that no swapped parent leads it astray.
import { openFolderSync, type Folder } from '../../base/fs/folder.ts';
import type { Entry } from '../../base/fs/write.ts';
import { splitPath } from './step.ts';

export interface Places extends Disposable {
  /** The entry of a path in its held folder. NOT_FOUND when the folder is not there. */
  entry(path: string): Entry;
  folder(path: string): Folder;
  /** Makes the entries of every folder that was worked in durable. */
  sync(): Promise<void>;
  /** Lets go of a folder that is about to be removed. */
  release(path: string): void;
}

export function holdPlaces(root: string): Places {
  const held = new Map<string, Folder>();
  const folder = (path: string): Folder => {
    const known = held.get(path) ?? openFolderSync(root, path);
    held.set(path, known);
    return known;
  };
  return {
    folder,
    entry(path) {
      const { folder: parent, name } = splitPath(path);
      return { folder: folder(parent), name };
    },
    async sync() {
      await Promise.all([...held.values()].map((one) => one.sync()));
    },
    release(path) {
      held.get(path)?.close();
      held.delete(path);
    },
    [Symbol.dispose]() {
      for (const one of held.values()) one.close();
      held.clear();
    },
  };
}
