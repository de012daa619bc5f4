// After a program ran: what it did, as one committed change; also when the bridge that started it died meanwhile.
import { commitThenFlush } from '../../base/store/flush.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import { appliedFile, summaryOf } from '../changes/service.ts';
import type { Book } from './book.ts';
import { compare, type Compared } from './compare.ts';
import { earlierOf, type Earlier } from './earlier.ts';
import type { ObservationRow } from './rows.ts';
import { lookUndisturbed, type Shop } from './shop.ts';
import type { Settled } from './told.ts';

interface Settling {
  row: ObservationRow;
  project: ProjectHandle;
  label: string;
  /** The bridge died in between. */
  isLate: boolean;
}

const LATE = 'The bridge ended while this ran: what others changed in the project until it was settled counts as its work.';

export async function settle(shop: Shop, settling: Settling): Promise<Settled> {
  const { row, project, isLate } = settling;
  const book = shop.books.open(row.project_id);
  const earlier = () => earlierOf(book, shop.rows, row.generation);
  const { settled, isDurable } = await lookUndisturbed(shop, book, {
    ...{ project, signal: null, hashesAll: true },
    also: () => earlier().keptPaths(),
    then(warnings) {
      const compared = comparedWith(shop, { book, row, earlier: earlier() });
      const made = { changesetId: null as string | null };
      const done = commitThenFlush(shop.parts.store, () => (made.changesetId = recordSettled(shop, settling, compared)));
      const { steps, unkept } = compared;
      const words = [...(isLate ? [LATE] : []), ...compared.warnings, ...warnings];
      return { isDurable: done, settled: { changesetId: made.changesetId, files: steps.map(appliedFile), unkept, warnings: words } };
    },
  });
  await isDurable;
  return settled;
}

function comparedWith({ parts }: Shop, { book, row, earlier }: { book: Book; row: ObservationRow; earlier: Earlier }): Compared {
  return compare({
    was: earlier.at,
    is: (path) => book.entries.get(path)?.entry,
    paths: earlier.changed(),
    traces: parts.changes.since(row.project_id, row.ordinal),
    hasImage: parts.blobs.has,
  });
}

function recordSettled({ parts, rows, live }: Shop, { row, label, isLate }: Settling, { steps }: Compared): string | null {
  const words = [label, ...(isLate ? ['interrupted'] : []), summaryOf(steps)].filter((part) => part !== '').join(': ');
  const changesetId =
    steps.length === 0
      ? null
      : parts.changes.record({
          projectId: row.project_id,
          principal: row.principal,
          callerName: row.caller_name,
          operation: row.operation,
          summary: words,
          steps,
          images: [],
        });
  rows.settle.run(changesetId, parts.clock.now(), row.observation_id);
  rows.purge.run({ projectId: row.project_id });
  live.delete(row.observation_id);
  return changesetId;
}

/** null: its project cannot be opened now; it waits until it can. */
export async function settleLate(shop: Shop, row: ObservationRow): Promise<Settled | null> {
  try {
    const project = await shop.parts.projects.open(row.project_id);
    return await settle(shop, { row, project, label: row.label, isLate: true });
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    shop.parts.log.warn({ observationId: row.observation_id, err: error }, 'What an interrupted program did cannot be settled now.');
    return null;
  }
}

/** What an earlier bridge left, of a project that could not be opened when this one started. */
export async function settleLeftOpen(shop: Shop, project: ProjectHandle): Promise<void> {
  for (const row of shop.rows.open.all()) {
    if (row.project_id !== project.projectId || shop.live.has(row.observation_id)) continue;
    await settle(shop, { row, project, label: row.label, isLate: true });
  }
}
