// A change that another program made, of any kind of thing into any other, is taken back and made again exactly, or not at all.
import { chmodSync, lstatSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { undo } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';
import { make, treeOf, type Thing } from '../../testing/tree.ts';
import type { Meta } from '../../base/fs/meta.ts';
import { imageOf, isLate, step, type Image, type Kind, type Step } from './step.ts';

const things: Record<string, Thing> = {
  nothing: null,
  file: { file: 'one\n' },
  other: { file: 'two\n' },
  program: { file: 'one\n', mode: 0o755 },
  link: { link: 'elsewhere' },
  dangling: { link: '../outside/none' },
  folder: { folder: { a: { file: 'a' }, sub: { folder: { b: { file: 'b', mode: 0o600 } }, mode: 0o700 } } },
  closed: { folder: { a: { file: 'a' } }, mode: 0o555 },
};

interface Seen {
  kind: Kind;
  meta: Meta | null;
  image: Image | null;
}

function lookAt(path: string): Seen {
  const stats = lstatSync(path);
  const { mode, uid, gid } = stats;
  if (stats.isSymbolicLink()) return { kind: 'link', meta: null, image: imageOf(readlinkSync(path, { encoding: 'buffer' })) };
  const meta = { mode: mode & 0o7777, uid, gid, xattrs: {} };
  return stats.isDirectory() ? { kind: 'directory', meta, image: null } : { kind: 'file', meta, image: imageOf(readFileSync(path)) };
}

const look = (root: string) => new Map(Object.keys(treeOf(root)).map((path) => [path, lookAt(join(root, path))]));

function stepFor(path: string, before: Seen | undefined, after: Seen | undefined): Step | null {
  if (before?.kind === after?.kind && before?.meta?.mode === after?.meta?.mode && before?.image?.hash === after?.image?.hash) return null;
  const sides = {
    path,
    ...(before && { before: before.image, beforeKind: before.kind, beforeMeta: before.meta }),
    ...(after && { after: after.image, afterKind: after.kind, afterMeta: after.meta }),
  };
  if (before && after) return step({ action: 'replace', ...sides });
  if (before) return step({ action: before.kind === 'directory' ? 'rmdir' : 'delete', ...sides });
  return step({ action: after?.kind === 'directory' ? 'mkdir' : 'create', ...sides });
}

/** Changes the disk as a program would, and puts what came of it into the journal. */
async function changed(at: Desk, path: string, thing: Thing): Promise<string> {
  const before = look(at.ws.root);
  make(at.ws.path(path), thing);
  const after = look(at.ws.root);
  const paths = [...new Set([...before.keys(), ...after.keys()])].sort();
  const steps = paths.flatMap((one) => stepFor(one, before.get(one), after.get(one)) ?? []);
  const staged = await at.blobs.pack([...before.values(), ...after.values()].flatMap(({ image }) => image?.bytes ?? []));
  await staged.keep();
  const ordered = [...steps.filter((one) => !isLate(one)), ...steps.filter(isLate).reverse()];
  const done = { projectId: at.ws.project.projectId, principal: 'token:a', callerName: 'a', operation: 'run_command', summary: 'x' };
  return at.state.store.transaction(() => at.changes.record({ ...done, steps: ordered, images: [staged] }))();
}

const names = Object.keys(things);
const others = (from: string) => names.filter((to) => to !== from);

describe('one kind of thing becomes another', () => {
  it.each(names)('%s to any other: taken back, and made again', async (from) => {
    await using at = await desk({ files: { 'beside.txt': 'stays' } });
    for (const to of others(from)) {
      const path = `to-${to}/x`;
      make(at.ws.path(path), things[from] ?? null);
      const before = treeOf(at.ws.root);
      const changesetId = await changed(at, path, things[to] ?? null);
      const after = treeOf(at.ws.root);
      expect((await inspected(at, changesetId)).map(({ onDisk }) => onDisk).filter((state) => state !== 'after')).toEqual([]);
      const undone = (await undo(at, changesetId)).data.changesetId;
      expect([to, treeOf(at.ws.root)]).toEqual([to, before]);
      const again = (await undo(at, undone)).data.changesetId;
      expect([to, treeOf(at.ws.root)]).toEqual([to, after]);
      await undo(at, again);
      expect([to, treeOf(at.ws.root)]).toEqual([to, before]);
    }
  });

  const stages = ['folders-made', 'temps-written', 'swapped', 'folders-synced'];
  it.each(names)('%s to any other: an undo that fails anywhere leaves what the program left', async (from) => {
    let dieAt = '';
    const onStage = (stage: string) => {
      if (stage === dieAt) throw new Error('stopped here');
    };
    await using at = await desk({ onStage });
    for (const to of others(from)) {
      const path = `to-${to}/x`;
      make(at.ws.path(path), things[from] ?? null);
      const changesetId = await changed(at, path, things[to] ?? null);
      const after = treeOf(at.ws.root);
      for (dieAt of stages) {
        await expect(undo(at, changesetId)).rejects.toThrow('stopped here');
        expect([to, dieAt, treeOf(at.ws.root)]).toEqual([to, dieAt, after]);
      }
      dieAt = '';
    }
  });
});

const inspected = async (at: Desk, changesetId: string) =>
  (await at.call('change_inspect', { changesetId }, { caller: 'owner' })).data.files as { onDisk: string; diff: string }[];

describe('what stands in the way of taking it back', () => {
  it('a link that leads elsewhere by now is named and left', async () => {
    await using at = await desk();
    make(at.ws.path('x'), { file: 'one' });
    const changesetId = await changed(at, 'x', { link: 'a' });
    make(at.ws.path('x'), { link: 'b' });
    await expect(undo(at, changesetId)).rejects.toThrow('"x" was edited from outside since');
    expect(readlinkSync(at.ws.path('x'))).toBe('b');
  });

  it('a folder that took the place of a file and holds others by now stays', async () => {
    await using at = await desk();
    make(at.ws.path('x'), { file: 'one' });
    const changesetId = await changed(at, 'x', { folder: { a: { file: 'a' } } });
    at.ws.write('x/mine', 'mine');
    const before = treeOf(at.ws.root);
    await expect(undo(at, changesetId)).rejects.toThrow('Other things are in the folder "x"');
    expect(treeOf(at.ws.root)).toEqual(before);
  });

  it('a mode that somebody set since stays, and the bytes come back', async () => {
    await using at = await desk();
    make(at.ws.path('x'), { file: 'one\n' });
    const changesetId = await changed(at, 'x', { file: 'two\n', mode: 0o755 });
    chmodSync(at.ws.path('x'), 0o700);
    await undo(at, changesetId);
    expect(treeOf(at.ws.root)).toEqual({ x: `file 700 ${sha256('one\n')}` });
  });

  it('only the mode was changed: an edit since stays', async () => {
    await using at = await desk();
    make(at.ws.path('x'), { file: 'one\n' });
    const changesetId = await changed(at, 'x', { file: 'one\n', mode: 0o755 });
    expect((await inspected(at, changesetId))[0]?.diff).toBe('old mode 0644\nnew mode 0755\n');
    writeFileSync(at.ws.path('x'), 'edited\n');
    await expect(undo(at, changesetId)).rejects.toThrow('edited from outside');
    expect(treeOf(at.ws.root)).toEqual({ x: `file 755 ${sha256('edited\n')}` });
  });
});
