// A manifest of an earlier generation, told by the newest one and by what was replaced since.
import type { Book } from './book.ts';
import type { Entry } from './entry.ts';
import type { ManifestRows } from './rows.ts';

export interface Earlier {
  at(path: string): Entry | undefined;
  /** Paths that have another entry by now, or none, or had none. */
  changed(): string[];
  /** Whatever could be put back. */
  keptPaths(): string[];
}

export function earlierOf(book: Book, rows: ManifestRows, generation: number): Earlier {
  const ended = new Map(rows.endedSince(book.projectId, generation).map((entry) => [entry.path, entry]));
  const at = (path: string): Entry | undefined => {
    const dated = book.entries.get(path);
    return ended.get(path) ?? (dated !== undefined && dated.since <= generation ? dated.entry : undefined);
  };
  const isKept = (entry: Entry | undefined): boolean => entry !== undefined && entry.kind !== 'blind';
  return {
    at,
    changed: () => [...new Set([...ended.keys(), ...[...book.entries].flatMap(([path, { since }]) => (since > generation ? [path] : []))])],
    keptPaths: () => [...new Set([...ended.keys(), ...book.entries.keys()])].filter((path) => isKept(at(path))),
  };
}
