// Commits of clients: what was asked is noted beside the call, what is done must be the same, and one repository makes one at a time.
import { Failed } from '../../failed.ts';
import type { Asked, Call } from '../../operation.ts';
import { askedOf, boundTo } from './asking.ts';
import { commit, type Made } from './commit.ts';
import { requireUnlocked } from './lock.ts';
import type { RawPath } from './names.ts';
import { planOf, sectionsOf, type CommitWish, type Plan } from './plan.ts';
import type { GitService, Opened } from './service.ts';

interface Noted {
  head: string | null;
  bound: string;
}

export function createCommits(git: GitService) {
  /** By the input of the call, which is the same object when the owner is asked and when it is done. */
  const noted = new WeakMap<object, Noted>();
  const turns = createTurns();

  async function make(call: Call, wish: CommitWish): Promise<{ made: Made; prefix: RawPath }> {
    const work = async (opened: Opened) => {
      const { reservation } = call;
      const made = await turns.take(opened.repository.commonDir, () =>
        commit(opened, {
          wish,
          requireAsked: (plan) => requireSame(noted.get(wish), plan),
          begun: () => (reservation === null ? undefined : git.begun.note(reservation)),
          roots: git.roots,
        }),
      );
      return { made: { ...made, warnings: [...opened.warnings, ...made.warnings] }, prefix: opened.repository.prefix };
    };
    return (await git.within(call, work)) ?? noRepository();
  }

  async function ask(call: Call, wish: CommitWish): Promise<Asked> {
    const work = async (opened: Opened) => {
      requireUnlocked(opened.repository);
      const plan = await planOf(opened, wish, { isTrial: true });
      noted.set(wish, { head: plan.head, bound: boundTo(plan) });
      return askedOf(plan, wish, { prefix: opened.repository.prefix, sections: await sectionsOf(opened, plan) });
    };
    return (await git.within(call, work)) ?? noRepository();
  }

  return { make, ask };
}

function noRepository(): never {
  throw new Failed('NOT_FOUND', 'The project lies in no git repository that holds files. Nothing was committed.');
}

/** The owner's own commits are asked about by nobody. */
function requireSame(asked: Noted | undefined, plan: Plan): void {
  if (asked === undefined || asked.bound === boundTo(plan)) return;
  const what = asked.head === plan.head ? 'What would be committed changed' : 'HEAD moved';
  throw new Failed('CONFLICT', `${what} since the owner was asked. Nothing was committed.`, {
    ...{ recovery: 'Send the call again; the owner is asked anew.', retryable: true },
  });
}

/** One after the other for each name, in the order of asking. */
function createTurns() {
  const last = new Map<string, Promise<unknown>>();
  return {
    async take<T>(name: string, work: () => Promise<T>): Promise<T> {
      const before = last.get(name) ?? Promise.resolve();
      const mine = before.then(work, work);
      const settled = mine.then(
        () => undefined,
        () => undefined,
      );
      last.set(name, settled);
      try {
        return await mine;
      } finally {
        if (last.get(name) === settled) last.delete(name);
      }
    },
  };
}
