// The newest manifest of each project, held in memory and written through: what is read again after a restart is what was held before.
import { atomically, type Store } from '../../base/store/store.ts';
import type { Pause } from '../files/service.ts';
import { isSameStamp, isSameThing, type Entry } from './entry.ts';
import type { Dated, ManifestRows } from './rows.ts';

export interface Book {
  readonly projectId: string;
  readonly entries: ReadonlyMap<string, Dated>;
  /** The number of the newest manifest. */
  readonly generation: number;
  /** How often the store of bytes had dropped some when all images were last proven to be there; null: not proven yet. */
  provenAtDrops: number | null;
  /** When the images were last marked as used. */
  usedAt: number;
  /** Makes these, one for each path, the newest manifest. Entries that are as before keep their place. */
  turn(entries: readonly Entry[], pause: Pause): Promise<void>;
}

const BOOKS_MAX = 4;
const CHUNK = 500;

export function createBooks({ store, rows }: { store: Store; rows: ManifestRows }) {
  const books = new Map<string, Book>();
  return {
    held: (): Iterable<Book> => books.values(),
    open(projectId: string): Book {
      const book = books.get(projectId) ?? openBook({ store, rows }, projectId);
      books.delete(projectId);
      books.set(projectId, book);
      const [oldest] = books.keys();
      if (books.size > BOOKS_MAX && oldest !== undefined) books.delete(oldest);
      return book;
    },
  };
}

function openBook({ store, rows }: { store: Store; rows: ManifestRows }, projectId: string): Book {
  const entries = new Map(rows.latest(projectId).map((dated) => [dated.entry.path, dated]));
  let generation = rows.newest.get(projectId, projectId)?.generation ?? 0;

  async function write(ended: readonly string[], added: readonly Dated[], pause: Pause): Promise<void> {
    const work = [...ended.map((path) => () => endEntry(path)), ...added.map((dated) => () => rows.add(projectId, dated))];
    for (let at = 0; at < work.length; at += CHUNK) {
      const chunk = work.slice(at, at + CHUNK);
      atomically(store, 'soon', () => {
        for (const one of chunk) one();
      });
      if (pause.isDue()) await pause.take();
    }
  }
  const endEntry = (path: string) => void rows.end.run(generation, projectId, path);

  return {
    projectId,
    entries,
    get generation() {
      return generation;
    },
    provenAtDrops: null,
    usedAt: 0,
    async turn(fresh, pause) {
      generation += 1;
      const added: Dated[] = [];
      let stayed = 0;
      for (const entry of fresh) {
        const known = entries.get(entry.path)?.entry;
        if (known !== undefined) stayed += 1;
        if (known === undefined || !isUnchanged(known, entry)) added.push({ entry, since: generation });
      }
      const gone = stayed === entries.size ? [] : missingFrom(fresh, entries);
      const replaced = added.flatMap(({ entry }) => (entries.has(entry.path) ? [entry.path] : []));
      await write([...gone, ...replaced], added, pause);
      for (const path of gone) entries.delete(path);
      for (const dated of added) entries.set(dated.entry.path, dated);
    },
  };
}

function missingFrom(fresh: readonly Entry[], entries: ReadonlyMap<string, Dated>): string[] {
  const seen = new Set(fresh.map(({ path }) => path));
  return [...entries.keys()].filter((path) => !seen.has(path));
}

/** Also in what only says how far it can be trusted. */
function isUnchanged(a: Entry, b: Entry): boolean {
  if (a === b) return true;
  if (a.isRacy !== b.isRacy || !isSameStamp(a, b)) return false;
  if (a.kind === 'blind') return b.kind === 'blind' && a.skim === b.skim && a.why === b.why;
  return b.kind !== 'blind' && isSameThing(a, b);
}
