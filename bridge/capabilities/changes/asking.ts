// What the owner has to be asked about a call before it changes anything, and the note of which question named a loss.
import type { Asked, Call, ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';
import type { Draft } from './draft.ts';
import type { createLosses } from './loss.ts';
import { askedFor, mayNeedOwner } from './power.ts';
import type { Resolved } from './resolve.ts';
import type { Step } from './step.ts';

export interface AskingParts {
  files: Files;
  losses: ReturnType<typeof createLosses>;
  resolve(project: ProjectHandle, drafts: readonly Draft[]): Promise<Resolved>;
}

export function createAsking({ files, losses, resolve }: AskingParts) {
  /** About the steps of a call with this input. */
  function ask(call: Call, input: object, steps: readonly Step[]): Asked | null {
    losses.note(input, steps);
    return askedFor(steps, call.mustAsk);
  }

  return {
    ask,

    /** About a call on these paths that can lose nothing. The drafts are made only when a path can need it. */
    async asksFor(call: Call, paths: readonly string[], drafts: () => readonly Draft[]): Promise<Asked | null> {
      const isOrdinary = call.mustAsk !== true && (await allOrdinary(files, call.project, paths));
      return isOrdinary ? null : askedFor((await resolve(call.project, drafts())).steps, call.mustAsk);
    },

    /** About drafts whose bytes on disk decide it. */
    asksAbout: async (call: Call, input: object, drafts: readonly Draft[]): Promise<Asked | null> =>
      ask(call, input, (await resolve(call.project, drafts)).steps),

    /** Whether one of the drafts deletes a file too large to be held, for which there may be no room. */
    async mayLose(project: ProjectHandle, drafts: readonly Draft[]): Promise<boolean> {
      for (const { kind, path } of drafts) {
        if (kind !== 'delete') continue;
        const { stats } = await files.locate(project, path, 'write');
        if ((stats?.size ?? 0n) > files.limits.readFileBytes) return true;
      }
      return false;
    },
  };
}

async function allOrdinary(files: Files, project: ProjectHandle, paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    const { relative } = await files.locate(project, path, 'write');
    if (mayNeedOwner(relative) || mayNeedOwner(path)) return false;
  }
  return true;
}
