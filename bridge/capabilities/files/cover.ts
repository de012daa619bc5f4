// The shortest way to name a set of files to ripgrep: a folder stands for all that is in it, but only when nothing in it is left out.
import type { FileEntry } from './listing.ts';
import type { Shelf, Survey } from './walk.ts';

/**
 * Folders and files that together name exactly the searchable files of a complete survey. A file that appears in such a
 * folder later is unknown to the reader of the results and dropped there, as is one that is reached over a swapped link.
 */
export function coverOf(survey: Survey, start: string, isSearchable: (entry: FileEntry) => boolean): string[] {
  const shelves = new Map(survey.shelves.map((shelf) => [shelf.listing.path, shelf]));
  const pure = new Set<string>();
  // Shelves stand in the order of the walk, so that what is inside a folder is judged before the folder.
  for (const shelf of [...survey.shelves].reverse()) if (isPure(shelf, pure, isSearchable)) pure.add(shelf.listing.path);
  const cover: string[] = [];
  const open = [start];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const shelf = shelves.get(path);
    if (pure.has(path)) cover.push(path);
    else if (shelf !== undefined) {
      for (const entry of shelf.files) if (isSearchable(entry)) cover.push(entry.path);
      open.push(...shelf.folders.map((folder) => folder.path));
    }
  }
  return cover;
}

function isPure(
  { listing, files, folders, ignored }: Shelf,
  pure: ReadonlySet<string>,
  isSearchable: (entry: FileEntry) => boolean,
): boolean {
  const leftOut = Object.values(listing.counts).reduce((sum, count) => sum + count, ignored.length);
  return leftOut === 0 && folders.every(({ path }) => pure.has(path)) && files.every(isSearchable);
}
