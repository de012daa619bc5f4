// The folders a change works in, each opened and proven once and held until the end, so that no swapped parent leads it astray.
import { lstatSync } from 'node:fs';
import { openFolderSync, type Folder } from '../../base/fs/folder.ts';
import { underRoot } from '../../base/fs/root.ts';
import type { Entry } from '../../base/fs/write.ts';
import { Failed } from '../../failed.ts';
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

/** `given`: where a folder gives its place to something else or takes it. While it is none, what is below it is not found. */
export function holdPlaces(root: string, given: readonly string[] = []): Places {
  const held = new Map<string, Folder>();
  const open = (path: string): Folder => {
    try {
      return openFolderSync(root, path);
    } catch (cause) {
      const isGone = given.some((one) => isWithin(path, one) && !isDirectory(root, one));
      if (!isGone || !(cause instanceof Failed)) throw cause;
      throw new Failed('NOT_FOUND', `There is no folder ${JSON.stringify(path)} in the project.`, { cause });
    }
  };
  const folder = (path: string): Folder => {
    const known = held.get(path) ?? open(path);
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

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`);
const isDirectory = (root: string, path: string): boolean =>
  lstatSync(underRoot(root, path), { throwIfNoEntry: false })?.isDirectory() === true;
