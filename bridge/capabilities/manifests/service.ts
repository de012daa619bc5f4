// Manifests: what a project is before a program runs in it, so that what the program did becomes a change like any other.
import type { Call, ProjectHandle } from '../../operation.ts';
import { foresee, observe } from './observe.ts';
import { settle, settleLate } from './settle.ts';
import { openRow, openShop, type ManifestParts } from './shop.ts';
import type { Foreseen, Observation, Settled, SettledLate } from './told.ts';

export type { Unkept } from './compare.ts';
export { manifestLimits, type ManifestLimits } from './limits.ts';
export type { ManifestParts } from './shop.ts';
export type { Foreseen, Observation, Settled, SettledLate } from './told.ts';

export type Manifests = ReturnType<typeof createManifests>;

const SETTLED_KEPT_MS = 7 * 24 * 60 * 60 * 1000;

export function createManifests(given: ManifestParts) {
  const shop = openShop(given);
  const { rows, lines, parts } = shop;

  return {
    /** What a program could do here beyond taking back, told before it is asked for. Reads stamps only, keeps nothing. */
    foresee: (project: ProjectHandle, signal: AbortSignal | null = null): Promise<Foreseen> => foresee(shop, project, signal),

    /**
     * Keeps what the project is now. Durable when it resolves. To be settled or forgotten, exactly once.
     * RECOVERY_REQUIRED while a change is half done, RESOURCE_LIMIT when the bytes find no room; then nothing is to be run.
     * @param facts.label What runs, in a few words: it begins the summary of the change, also when the bridge dies meanwhile.
     */
    observe: (call: Call, facts: { label: string }): Promise<Observation> =>
      lines.run(call.project.projectId, () => observe(shop, call, facts.label)),

    /** Once all that the program started has ended. What is changed by others until now counts as its work. */
    async settle(observationId: string, facts: { label?: string } = {}): Promise<Settled> {
      const row = openRow(shop, observationId);
      const project = await parts.projects.open(row.project_id);
      return lines.run(row.project_id, () => settle(shop, { row, project, label: facts.label ?? row.label, isLate: false }));
    },

    /** The program was never started. */
    forget(observationId: string): void {
      const row = openRow(shop, observationId);
      rows.settle.run(null, parts.clock.now(), observationId);
      rows.purge.run({ projectId: row.project_id });
      shop.live.delete(observationId);
    },

    /** Run before anything is accepted, once the changes are recovered and what the programs started is ended. */
    async recover(): Promise<SettledLate[]> {
      rows.forget.run(parts.clock.now() - SETTLED_KEPT_MS);
      const settled: SettledLate[] = [];
      for (const row of rows.open.all()) {
        const late = await lines.run(row.project_id, () => settleLate(shop, row));
        if (late !== null) settled.push({ ...late, projectId: row.project_id, label: row.label });
      }
      return settled;
    },
  };
}
