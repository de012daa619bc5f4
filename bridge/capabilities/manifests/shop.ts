// What observing and settling share: the books, who needs which bytes, and a look in which the journal changed nothing.
import type { Log } from '../../base/log.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import type { Changes } from '../changes/service.ts';
import { createBooks, type Book } from './book.ts';
import type { Unkept } from './compare.ts';
import { gapsOf, isExpected } from './gaps.ts';
import { manifestLimits } from './limits.ts';
import { createLines } from './lines.ts';
import { look, type LookParts } from './look.ts';
import { manifestRows, type ObservationRow } from './rows.ts';
import type { Foreseen } from './told.ts';

export interface ManifestParts extends Omit<LookParts, 'limits'>, Partial<Pick<LookParts, 'limits'>> {
  changes: Changes;
  log: Log;
  projects: { open(projectId: string): Promise<ProjectHandle> };
}

export type Shop = ReturnType<typeof openShop>;

export function openShop(given: ManifestParts) {
  const parts = { ...given, limits: given.limits ?? manifestLimits };
  const rows = manifestRows(parts.store);
  const books = createBooks({ store: parts.store, rows });
  /** What looks that go on have read: no observation speaks for it yet. */
  const looking = new Map<Set<string>, Book>();
  parts.blobs.protect(() => {
    const held = [...looking].flatMap(([fresh, book]) => [...fresh, ...imagesOf(book)]);
    return new Set([...rows.needed.all().map(({ hash }) => hash), ...held]);
  });
  /** Observations of this very run of the bridge. */
  const live = new Set<string>();
  return { parts, rows, books, looking, live, lines: createLines() };
}

const imagesOf = (book: Book): string[] =>
  [...book.entries.values()].flatMap(({ entry }) => (entry.kind !== 'blind' && entry.hash !== null ? [entry.hash] : []));

export const foreseen = (unkept: readonly Unkept[], { parts }: Shop): Foreseen => ({
  gaps: gapsOf(unkept, parts.limits),
  unkept: unkept.filter(isExpected).map(({ path, why }) => ({ path: path.replace(/\/$/, ''), why })),
});

export function openRow({ rows }: Shop, observationId: string): ObservationRow {
  const row = rows.byId.get(observationId);
  if (row?.state !== 'open') throw new Failed('CONFLICT', 'What was seen before this program ran is settled already.');
  return row;
}

interface Looking {
  project: ProjectHandle;
  signal: AbortSignal | null;
  also: () => Iterable<string>;
  hashesAll: boolean;
}

/**
 * A look in which the journal changed nothing, and what follows from it, in the same turn. When a change comes in between,
 * the next look has the journal wait; by then most is known.
 */
export async function lookUndisturbed<T>(shop: Shop, book: Book, looking: Looking & { then(warnings: string[]): T }): Promise<T> {
  const { changes } = shop.parts;
  const { projectId } = looking.project;
  const start = changes.lastOrdinal();
  const isQuiet = () => !changes.isApplying(projectId) && changes.since(projectId, start).length === 0;
  const once = async () => {
    const fresh = new Set<string>();
    shop.looking.set(fresh, book);
    try {
      return await look(shop.parts, book, { ...looking, also: looking.also(), fresh });
    } finally {
      shop.looking.delete(fresh);
    }
  };
  if (isQuiet()) {
    const warnings = await once();
    if (isQuiet()) return looking.then(warnings);
  }
  return changes.alone(projectId, async () => looking.then(await once()));
}
