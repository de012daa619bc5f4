// Whether something that is not kept changed, told by a bounded number of stamps: what it holds is never read.
import { lstatSync, readdirSync, type Stats } from 'node:fs';
import { sha256 } from '../../base/digest.ts';
import { underRoot } from '../../base/fs/root.ts';

/** Looks below one folder, outer entries first. An edit in place deeper than that is not seen. */
export function skim(root: string, path: string, looksMax: number): string {
  const stats = lookAt(root, path);
  if (stats === undefined) return '';
  const lines = [lineOf(path, stats)];
  const folders = stats.isDirectory() ? [path] : [];
  for (let folder = folders.shift(); folder !== undefined && lines.length < looksMax; folder = folders.shift()) {
    for (const name of namesIn(root, folder)) {
      if (lines.length >= looksMax) break;
      const below = `${folder}/${name}`;
      const found = lookAt(root, below);
      if (found === undefined) continue;
      lines.push(lineOf(below, found));
      if (found.isDirectory()) folders.push(below);
    }
  }
  return sha256(lines.join('\n'));
}

const lineOf = (path: string, { ino, size, mode, mtimeMs, ctimeMs }: Stats): string => [path, ino, size, mode, mtimeMs, ctimeMs].join('\0');

const GONE = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP', 'ENAMETOOLONG']);

function lookAt(root: string, path: string): Stats | undefined {
  return unlessGone(() => lstatSync(underRoot(root, path), { throwIfNoEntry: false }), undefined);
}

const namesIn = (root: string, folder: string): string[] => unlessGone(() => readdirSync(underRoot(root, folder)).sort(), []);

function unlessGone<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch (error) {
    if (GONE.has((error as NodeJS.ErrnoException).code ?? '')) return otherwise;
    throw error;
  }
}
