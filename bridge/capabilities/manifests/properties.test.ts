// Over any tree and any work of a program in it: undo gives back every byte, mode, link and folder, and undoing that makes it again.
import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { undo } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';
import { treeOf } from '../../testing/tree.ts';

const name = fc.constantFrom('a', 'b', 'c', 'd.txt', 'ü', 'with space');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const content = fc.oneof(fc.constantFrom('', 'x\n', 'one\ntwo\nthree\n'), fc.string({ maxLength: 30 }));
const mode = fc.constantFrom(0o644, 0o600, 0o755, 0o444, 0o640);
const folderMode = fc.constantFrom(0o755, 0o700, 0o775, 0o555);

const act = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('write' as const), path, content, mode }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove' as const), path }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('link' as const), path, target: fc.constantFrom('a', '../b', '/nowhere', 'c/d.txt') }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('folder' as const), path, mode: folderMode }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('chmod' as const), path, mode, folderMode }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('move' as const), path, to: path }) },
);
type Act = typeof act extends fc.Arbitrary<infer T> ? T : never;

const statsOf = (at: Desk, one: string) => lstatSync(at.ws.path(one), { throwIfNoEntry: false });

/** Whatever is in the way of a folder is taken away, as a program would that wants to write there. */
function makeWay(at: Desk, one: string): void {
  for (let cut = one.indexOf('/'); cut > 0; cut = one.indexOf('/', cut + 1)) {
    const stats = statsOf(at, one.slice(0, cut));
    if (stats !== undefined && !stats.isDirectory()) rmSync(at.ws.path(one.slice(0, cut)));
  }
  mkdirSync(dirname(at.ws.path(one)), { recursive: true });
}

function clear(at: Desk, one: string): void {
  makeWay(at, one);
  rmSync(at.ws.path(one), { recursive: true, force: true });
}

function perform(at: Desk, one: Act): void {
  const stats = isReachable(at, one.path) ? statsOf(at, one.path) : undefined;
  const full = at.ws.path(one.path);
  switch (one.kind) {
    case 'write':
      if (stats?.isFile() !== true) clear(at, one.path);
      writeFileSync(full, one.content);
      return chmodSync(full, one.mode);
    case 'remove':
      return stats === undefined ? undefined : rmSync(full, { recursive: true });
    case 'link':
      clear(at, one.path);
      return symlinkSync(one.target, full);
    case 'folder':
      if (stats?.isDirectory() !== true) clear(at, one.path);
      mkdirSync(full, { recursive: true });
      return chmodSync(full, one.mode);
    case 'chmod':
      if (stats === undefined || stats.isSymbolicLink()) return;
      return chmodSync(full, stats.isDirectory() ? one.folderMode : one.mode);
    case 'move':
      if (stats === undefined || one.to === one.path || one.to.startsWith(`${one.path}/`) || one.path.startsWith(`${one.to}/`)) return;
      clear(at, one.to);
      if (statsOf(at, one.path) !== undefined) renameSync(full, at.ws.path(one.to));
  }
}

/** Whether there are only folders on the way. */
function isReachable(at: Desk, one: string): boolean {
  const names = one.split('/').slice(0, -1);
  return names.every((_name, index) => statsOf(at, names.slice(0, index + 1).join('/'))?.isDirectory() === true);
}

describe('properties', () => {
  it('undo restores any tree after any work exactly, and redo makes it again', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 12 }), fc.array(act, { minLength: 1, maxLength: 12 }), async (first, then) => {
        await using at = await desk();
        for (const one of first) perform(at, one);
        const before = treeOf(at.ws.root);
        const { observationId } = await at.manifests.observe(at.callFor('run_command'), { label: 'x' });
        for (const one of then) perform(at, one);
        const after = treeOf(at.ws.root);
        const settled = await at.manifests.settle(observationId);
        expect([settled.unkept, settled.warnings]).toEqual([[], []]);
        expect(settled.changesetId === null).toBe(JSON.stringify(before) === JSON.stringify(after));
        if (settled.changesetId === null) return;
        const undone = (await undo(at, settled.changesetId)).data.changesetId;
        expect(treeOf(at.ws.root)).toEqual(before);
        const redone = (await undo(at, undone)).data.changesetId;
        expect(treeOf(at.ws.root)).toEqual(after);
        await undo(at, redone);
        expect(treeOf(at.ws.root)).toEqual(before);
      }),
      { numRuns: 60 },
    );
  });

  it('of several programs in a row each is taken back, last first, to exactly what was before it', { timeout: 300_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(act, { minLength: 1, maxLength: 5 }), { minLength: 2, maxLength: 5 }), async (programs) => {
        await using at = await desk({ files: { 'a/d.txt': 'first\n', b: 'b\n' } });
        const trees: Record<string, string>[] = [];
        const changes: (string | null)[] = [];
        for (const program of programs) {
          trees.push(treeOf(at.ws.root));
          const { observationId } = await at.manifests.observe(at.callFor('run_command'), { label: 'x' });
          for (const one of program) perform(at, one);
          changes.push((await at.manifests.settle(observationId)).changesetId);
        }
        for (const changesetId of changes.toReversed()) {
          if (changesetId !== null) await undo(at, changesetId);
          expect(treeOf(at.ws.root)).toEqual(trees.pop());
        }
      }),
      { numRuns: 25 },
    );
  });
});
