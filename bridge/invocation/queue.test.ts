// The line of changes in a project, against a model: one at a time, first come first served, bounded, and nobody waits for ever.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Failed } from '../failed.ts';
import { createMutationQueue } from './queue.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
const never = new AbortController().signal;

type Act = { kind: 'enter'; project: string } | { kind: 'leave' | 'cancel'; nth: number };
const act: fc.Arbitrary<Act> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('enter' as const), project: fc.constantFrom('a', 'b') }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('leave' as const, 'cancel' as const), nth: fc.nat(8) }) },
);

interface One {
  project: string;
  state: 'waits' | 'runs' | 'over' | string;
  leave: () => void;
  cancel: AbortController;
}

const WAITERS_MAX = 3;

describe('the queue', () => {
  it('gives a project to one at a time, in order, at most so many waiting, and to other projects at once (property)', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 40 }), async (acts) => {
        const queue = createMutationQueue({ waitersMax: WAITERS_MAX, waitMs: 60_000 });
        const all: One[] = [];
        const model: One[] = [];
        const of = (project: string) => model.filter((one) => one.project === project);
        for (const step of acts) {
          if (step.kind === 'enter') {
            const one: One = { project: step.project, state: 'waits', leave: () => undefined, cancel: new AbortController() };
            const isFull = of(step.project).length > WAITERS_MAX;
            queue.enter(step.project, one.cancel.signal).then(
              (leave) => Object.assign(one, { state: 'runs', leave }),
              (error: Failed) => Object.assign(one, { state: error.code }),
            );
            all.push(one);
            if (!isFull) model.push(one);
            await turn();
            if (isFull) expect(one.state).toBe('RESOURCE_LIMIT');
          } else {
            const wanted = model.filter(({ state }) => (step.kind === 'leave' ? state === 'runs' : state === 'waits'))[step.nth];
            if (wanted === undefined) continue;
            model.splice(model.indexOf(wanted), 1);
            if (step.kind === 'leave') wanted.leave();
            else wanted.cancel.abort();
            await turn();
            if (step.kind === 'cancel') expect(wanted.state).toBe('CONFLICT');
          }
          for (const project of ['a', 'b']) {
            const [first, ...rest] = of(project);
            expect([first?.state ?? 'runs', ...rest.map(({ state }) => state)]).toEqual(['runs', ...rest.map(() => 'waits')]);
          }
        }
        for (let one = model.find(({ state }) => state === 'runs'); one !== undefined; one = model.find(({ state }) => state === 'runs')) {
          model.splice(model.indexOf(one), 1);
          one.leave();
          await turn();
        }
        expect(model).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  it('answers TIMEOUT to whoever waited too long, who then is not in the line any more', async () => {
    const queue = createMutationQueue({ waitersMax: 5, waitMs: 10 });
    const leave = await queue.enter('a', never);
    await expect(queue.enter('a', never)).rejects.toMatchObject({ failure: { code: 'TIMEOUT', retryable: true } });
    leave();
    (await queue.enter('a', never))();
    await expect(queue.enter('a', AbortSignal.abort())).rejects.toMatchObject({ failure: { code: 'CONFLICT' } });
  });
});
