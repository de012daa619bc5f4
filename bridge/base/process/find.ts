// Where a program of a name lies, among folders that no project can write: a name is never looked for in a working directory.
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, relative, sep } from 'node:path';

export interface SearchPath {
  path?: string | undefined;
  /** Folders of which nothing is run. */
  outside: readonly string[];
}

/** The full path, or null. Relative entries of PATH and those inside `outside` are passed over. */
export function findProgram(name: string, { path = process.env['PATH'] ?? '', outside }: SearchPath): string | null {
  const folders = path.split(delimiter).filter((folder) => isAbsolute(folder) && !outside.some((root) => holds(root, folder)));
  return folders.map((folder) => join(folder, name)).find(isProgram) ?? null;
}

function holds(root: string, folder: string): boolean {
  const way = relative(root, folder);
  return way === '' || (way.split(sep)[0] !== '..' && !isAbsolute(way));
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EACCES', 'ELOOP', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '')) return false;
    throw error;
  }
}
