// One change, one state: what each row and each inspector offers after any order of undo and redo.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Changeset } from '#shared/contracts/changes.ts';
import { isStillOpen, rowTurnOf, turnOf, type ChangesById, type Turn } from './standing.ts';

const change = (changesetId: string, over: Partial<Changeset> = {}): Changeset => ({
  changesetId,
  projectId: 'prj_shop0000',
  kind: over.undoes ? 'undo' : 'apply',
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

/** As the bridge tells it: `undoneBy` is the undo of a change that itself stands. */
function told(links: readonly (readonly [id: string, undoes: string | null])[]): ChangesById {
  const standing = (id: string): string | null => links.find(([undo, undoes]) => undoes === id && standing(undo) === null)?.[0] ?? null;
  return Object.fromEntries(links.map(([id, undoes]) => [id, change(id, { undoes, undoneBy: standing(id) })]));
}

const said = (turn: Turn | null) => (turn === null ? null : `${turn.isRedo ? 'redo' : 'undo'} by ${turn.target}`);
const rows = (byId: ChangesById) => Object.values(byId).map((one) => said(rowTurnOf(one, byId)));
const inspectors = (byId: ChangesById) => Object.values(byId).map((one) => said(turnOf(one, byId)));

const made = ['c', null] as const;
const undone = [made, ['u', 'c']] as const;
const redone = [...undone, ['v', 'u']] as const;
const undoneAgain = [...redone, ['w', 'c']] as const;

describe('what a change offers', () => {
  it.each([
    ['made', [made], ['undo by c'], ['undo by c']],
    ['undone', undone, ['redo by u', null], ['redo by u', 'redo by u']],
    ['redone', redone, ['undo by c', null, null], ['undo by c', null, 'undo by c']],
    ['undone again', undoneAgain, ['redo by w', null, null, null], ['redo by w', null, null, 'redo by w']],
  ] as const)('when it was %s is one thing, offered in one row', (_name, links, ...offered) => {
    const byId = told(links);
    expect([rows(byId), inspectors(byId)]).toEqual(offered);
  });

  it('is nothing when it was not made or is not known', () => {
    const failed = change('f', { status: 'failed' });
    expect(turnOf(failed, { f: failed })).toBeNull();
    expect(turnOf(undefined, {})).toBeNull();
    expect(rowTurnOf(undefined, {})).toBeNull();
  });

  it('is at the turn that stands when the change itself is not known any more', () => {
    const { u, v } = told(redone);
    expect(rows(told([['u', 'c']]))).toEqual(['redo by u']);
    expect(rows({ u, v } as ChangesById)).toEqual([null, 'undo by v']);
  });

  it('is over for a notice once the change was turned otherwise', () => {
    const redo = { isRedo: true, target: 'u', projectId: 'prj_shop0000' };
    const undo = { isRedo: false, target: 'v', projectId: 'prj_shop0000' };
    expect(isStillOpen(redo, {})).toBe(true);
    expect(isStillOpen(redo, told(undone))).toBe(true);
    expect(isStillOpen(redo, told(redone))).toBe(false);
    expect(isStillOpen(undo, told(redone))).toBe(true);
    expect(isStillOpen(undo, told(undoneAgain))).toBe(false);
  });

  it('never is both, in any order of turns, and what it offers always turns the state', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 12 }), (picks) => {
        let links: (readonly [string, string | null])[] = [made];
        for (const [step, pick] of picks.entries()) {
          const byId = told(links);
          const offers = Object.values(byId).flatMap((one) => turnOf(one, byId) ?? []);
          expect(new Set(offers.map(said)).size).toBe(1);
          expect(rows(byId).filter((row) => row !== null)).toHaveLength(1);
          const ways = Object.values(byId).flatMap((one) => (turnOf(one, byId) === null ? [] : [one.undoneBy ?? one.changesetId]));
          const changesetId = ways[pick % ways.length] ?? '';
          links = [...links, [`t${step}`, changesetId]];
        }
        const [offer] = Object.values(told(links)).flatMap((one) => turnOf(one, told(links)) ?? []);
        const after = told([...links, ['last', offer?.target ?? '']]);
        expect(turnOf(after['c'], after)?.isRedo).toBe(!offer?.isRedo);
      }),
    );
  });
});
