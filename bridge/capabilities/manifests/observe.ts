// Before a program runs: what the project is, kept and durable, and in words what of it is not kept.
import { newId } from '#shared/ids.ts';
import { commitThenFlush } from '../../base/store/flush.ts';
import type { Call, ProjectHandle } from '../../operation.ts';
import { createPause } from '../files/service.ts';
import type { Book } from './book.ts';
import type { Unkept } from './compare.ts';
import { tooLarge } from './limits.ts';
import type { ObservationRow } from './rows.ts';
import { settleLeftOpen } from './settle.ts';
import { foreseen, lookUndisturbed, type Shop } from './shop.ts';
import { see } from './sight.ts';
import type { Foreseen, Observation } from './told.ts';

/** By stamps alone. */
export async function foresee(shop: Shop, project: ProjectHandle, signal: AbortSignal | null): Promise<Foreseen> {
  const { files, limits } = shop.parts;
  const census = await files.census(project, signal);
  const { candidates, blind } = await see({ root: project.root, census, also: [], known: () => undefined, pause: createPause() });
  const sizes = candidates.flatMap(({ kind, path, stats }) => (kind === 'file' ? [{ path, size: stats.size }] : []));
  const large: Unkept[] = [...tooLarge(sizes, limits)].map((path) => ({ path, why: 'too_large' }));
  return foreseen([...blind, ...large], shop);
}

export async function observe(shop: Shop, call: Call, label: string): Promise<Observation> {
  const { project, signal, caller, operation } = call;
  const { changes, clock, store } = shop.parts;
  await changes.requireWhole(project.projectId);
  await settleLeftOpen(shop, project);
  const book = shop.books.open(project.projectId);
  const row = (): ObservationRow => ({
    observation_id: newId('obs'),
    project_id: project.projectId,
    generation: book.generation,
    ordinal: changes.lastOrdinal(),
    state: 'open',
    principal: caller.principal,
    caller_name: caller.name,
    operation,
    label,
    changeset_id: null,
    created_at: clock.now(),
    settled_at: null,
  });
  const made = await lookUndisturbed(shop, book, {
    ...{ project, signal, also: () => [], hashesAll: false },
    then(warnings) {
      const opened = row();
      shop.live.add(opened.observation_id);
      const isDurable = commitThenFlush(store, () => void shop.rows.insertObservation.run(opened));
      return { isDurable, observation: observationOf(shop, book, { observationId: opened.observation_id, warnings }) };
    },
  });
  await made.isDurable;
  return made.observation;
}

function observationOf(shop: Shop, book: Book, facts: Pick<Observation, 'observationId' | 'warnings'>): Observation {
  const unkept: Unkept[] = [];
  const kept = { files: 0, bytes: 0 };
  for (const { entry } of book.entries.values()) {
    if (entry.why !== null) unkept.push({ path: entry.path, why: entry.why });
    else if (entry.kind === 'file') {
      kept.files += 1;
      kept.bytes += entry.size;
    }
  }
  return { ...facts, kept, ...foreseen(unkept, shop) };
}
