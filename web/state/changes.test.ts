// The way back from a change: which one is taken back by the button, and one key for one intent.
import { describe, expect, it } from 'vitest';
import type { Changeset } from '#shared/contracts/changes.ts';
import type { Connect } from '../link/client.ts';
import { LinkLost, Refused } from '../link/problem.ts';
import { Changes, type Inspection } from './changes.svelte.ts';

const change = (changesetId: string, over: Partial<Changeset> = {}): Changeset => ({
  changesetId,
  projectId: 'prj_shop0000',
  kind: 'apply',
  status: 'committed',
  summary: '',
  operation: 'edit_file',
  caller: 'Codex',
  createdAt: 0,
  committedAt: 0,
  planId: null,
  undoes: null,
  undoneBy: null,
  files: [],
  ...over,
});

function world(history: Changeset[], rollBack: (key: string) => unknown = () => ({ changesetId: 'u' })) {
  const keys: string[] = [];
  const client = {
    change_history: async () => ({ changesets: history }),
    rollback_changes: async ({ idempotencyKey }: { idempotencyKey: string }) => {
      keys.push(idempotencyKey);
      const answer = rollBack(idempotencyKey);
      if (answer instanceof Error) throw answer;
      return answer;
    },
  };
  return { keys, changes: new Changes((() => client) as unknown as Connect) };
}

describe('Changes', () => {
  it('counts as later what others did, and not what only took the change back and made it again', async () => {
    const history = [
      change('other'),
      change('again', { kind: 'undo', undoes: 'redo' }),
      change('redo', { kind: 'undo', undoes: 'undo', undoneBy: 'again' }),
      change('undo', { kind: 'undo', undoes: 'c' }),
      change('c', { undoneBy: 'undo' }),
    ];
    const { changes } = world(history);
    const inspection = (changeset: Changeset, laterChanges: string[]): Inspection => ({
      changeset,
      laterChanges,
      files: [],
      undo: { possible: true, reason: null },
    });
    const all = ['undo', 'redo', 'again', 'other', 'unknown'];
    expect(changes.laterOf(inspection(history[4] as Changeset, ['undo', 'other']))).toEqual(['other']);
    await changes.history('prj_shop0000').refresh();
    expect(changes.laterOf(inspection(history[4] as Changeset, all))).toEqual(['other', 'unknown']);
    expect(changes.laterOf(inspection(history[3] as Changeset, all.slice(1)))).toEqual(['other', 'unknown']);
  });

  it('sends the same key again while it is not known how the first attempt ended', async () => {
    let attempt = 0;
    const { changes, keys } = world([], () => (++attempt === 1 ? new LinkLost(new TypeError()) : { changesetId: 'u' }));
    const turn = { isRedo: false, target: 'c', projectId: 'prj_shop0000' };
    expect(await changes.turn(turn)).toBeNull();
    expect(changes.attempt('c').problem).toEqual({ kind: 'lost' });
    expect(await changes.turn(turn)).toBe('u');
    expect(keys[1]).toBe(keys[0]);
  });

  it('takes a fresh key once the bridge has said no', async () => {
    const failure = { code: 'CONFLICT', message: 'Edited outside.', retryable: false } as const;
    const { changes, keys } = world([], () => new Refused(failure));
    const turn = { isRedo: false, target: 'c', projectId: 'prj_shop0000' };
    await changes.turn(turn);
    await changes.turn(turn);
    expect(changes.attempt('c').problem).toEqual({ kind: 'refused', failure });
    expect(keys[1]).not.toBe(keys[0]);
  });

  it('names the interrupted ones', async () => {
    const { changes } = world([change('a'), change('b', { status: 'recovery_required' })]);
    await changes.history('prj_shop0000').refresh();
    expect(changes.interrupted.map((one) => one.changesetId)).toEqual(['b']);
  });
});
