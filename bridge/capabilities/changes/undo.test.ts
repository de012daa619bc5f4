// Taking back one change: what later changes wrote stays, what came from outside is never touched, and every undo can be undone.
import { appendFileSync, rmdirSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { edit, key, move, remove, text, undo, write } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';

/** Proves that the undo is refused and changes nothing; returns what it says. */
async function refusedUndo(at: Desk, changesetId: string, caller = 'token:a') {
  const before = at.snapshot();
  const failure = await undo(at, changesetId, caller).then(
    () => ({ code: 'OK', message: '', detail: {} }),
    (error: { failure: { code: string; message: string; detail: Record<string, unknown> } }) => error.failure,
  );
  expect(at.snapshot()).toEqual(before);
  return failure;
}

describe('taking back an edit', () => {
  it('the first of two keeps the second, the redo brings it back, and so on', async () => {
    await using at = await desk({ files: { 'a.txt': 'one\ntwo\nthree\n' } });
    const first = await edit(at, 'a.txt', ['one', 'ONE']);
    await edit(at, 'a.txt', ['three', 'THREE']);
    const taken = await undo(at, first);
    expect(text(at, 'a.txt')).toBe('one\ntwo\nTHREE\n');
    expect(taken.data).toMatchObject({ undoes: first, restored: ['a.txt'] });
    const redone = await undo(at, taken.data.changesetId);
    expect(text(at, 'a.txt')).toBe('ONE\ntwo\nTHREE\n');
    await undo(at, redone.data.changesetId);
    expect(text(at, 'a.txt')).toBe('one\ntwo\nTHREE\n');
  });

  it('is possible once, and says by what it was done', async () => {
    await using at = await desk({ files: { 'a.txt': 'a' } });
    const change = await edit(at, 'a.txt', ['a', 'b']);
    const taken = await undo(at, change);
    expect(await refusedUndo(at, change)).toMatchObject({ code: 'CONFLICT', detail: { undoneBy: taken.data.changesetId } });
    await undo(at, taken.data.changesetId); // redo: the change stands again
    await undo(at, change);
    expect(text(at, 'a.txt')).toBe('a');
  });

  it('refuses where a later change edited the same place, and names it', async () => {
    await using at = await desk({ files: { 'a.txt': 'one\n' } });
    const first = await edit(at, 'a.txt', ['one', 'two']);
    const second = await edit(at, 'a.txt', ['two', 'three']);
    const failure = await refusedUndo(at, first);
    expect(failure).toMatchObject({ code: 'CONFLICT', detail: { conflicts: [{ path: 'a.txt', later: [second], line: 1 }] } });
    expect(failure.message).toContain(second);
    await undo(at, second);
    await undo(at, first);
    expect(text(at, 'a.txt')).toBe('one\n');
  });

  it('refuses what was edited from outside since, and overwrites nothing', async () => {
    await using at = await desk({ files: { 'a.txt': 'one\ntwo\n', 'b.txt': 'b' } });
    const change = await edit(at, 'a.txt', ['one', 'ONE']);
    appendFileSync(at.ws.path('a.txt'), 'by hand\n');
    const failure = await refusedUndo(at, change);
    expect(failure).toMatchObject({ code: 'CONFLICT', detail: { conflicts: [{ path: 'a.txt', later: [] }] } });
    expect(failure.message).toContain('from outside');
    writeFileSync(at.ws.path('a.txt'), 'ONE\ntwo\n'); // the bytes of the change again
    await undo(at, change);
    expect(text(at, 'a.txt')).toBe('one\ntwo\n');
  });

  it('one file edited from outside keeps all files of the change', async () => {
    await using at = await desk({ files: { 'a.txt': 'foo', 'b.txt': 'foo' } });
    const expectedHashes = ['a.txt', 'b.txt'].map((path) => ({ path, expectedHash: at.hash(path) }));
    const { data } = await at.call('replace_in_files', { find: 'foo', replace: 'bar', dryRun: false, expectedHashes });
    writeFileSync(at.ws.path('b.txt'), 'by hand');
    expect((await refusedUndo(at, data.changesetId)).code).toBe('CONFLICT');
    expect([text(at, 'a.txt'), text(at, 'b.txt')]).toEqual(['bar', 'by hand']);
  });

  it('follows a file that a later change moved', async () => {
    await using at = await desk({ files: { 'a.txt': 'one\ntwo\nthree\n', 'dir/': '' } });
    const change = await edit(at, 'a.txt', ['one', 'ONE']);
    await move(at, 'a.txt', 'dir/b.txt');
    await edit(at, 'dir/b.txt', ['three', 'THREE']);
    expect((await undo(at, change)).data['restored']).toEqual(['dir/b.txt']);
    expect(text(at, 'dir/b.txt')).toBe('one\ntwo\nTHREE\n');
  });

  it('restores binary bytes whole, and does not merge them', async () => {
    const before = Buffer.from([0, 1, 2, 255]);
    await using at = await desk({ files: { 'a.bin': before } });
    const first = await write(at, 'a.bin', '\0text');
    await undo(at, first);
    expect(at.ws.bytes('a.bin')).toEqual(before);
    const again = await write(at, 'a.bin', 'a\0\n\nb');
    await write(at, 'a.bin', 'a\0\n\nc');
    expect((await refusedUndo(at, again)).message).toContain('not text');
  });

  it('refuses when a later change deleted the file', async () => {
    await using at = await desk({ files: { 'a.txt': 'a' } });
    const change = await edit(at, 'a.txt', ['a', 'b']);
    const later = await remove(at, 'a.txt');
    expect((await refusedUndo(at, change)).message).toContain(later);
    await undo(at, later);
    await undo(at, change);
    expect(text(at, 'a.txt')).toBe('a');
  });

  it('says so when the bytes are no longer kept', async () => {
    await using at = await desk({ files: { 'a.txt': 'x'.repeat(400) }, capBytes: 1000 });
    const change = await write(at, 'a.txt', 'y'.repeat(400));
    for (const name of ['b', 'c', 'd']) await write(at, name, name.repeat(400));
    const failure = await refusedUndo(at, change);
    expect(failure.code).toBe('NOT_FOUND');
    expect(failure.message).toContain('no longer kept');
  });
});

describe('taking back the other kinds', () => {
  it('a creation, with the folders it made, and brings both back', async () => {
    await using at = await desk();
    const made = await write(at, 'x/y/z.txt', 'z');
    const taken = await undo(at, made);
    expect(at.ws.list()).toEqual([]);
    await undo(at, taken.data.changesetId);
    expect(at.ws.list()).toEqual(['x/', 'x/y/', 'x/y/z.txt']);
    expect(text(at, 'x/y/z.txt')).toBe('z');
  });

  it('a creation leaves folders that hold other things, and says so', async () => {
    await using at = await desk();
    const made = await write(at, 'x/y/z.txt', 'z');
    writeFileSync(at.ws.path('x/mine.txt'), 'mine');
    const { warnings } = await undo(at, made);
    expect(at.ws.list()).toEqual(['x/', 'x/mine.txt']);
    expect(warnings?.join()).toContain('"x"');
  });

  it('a creation is refused once a later change edited or moved the file', async () => {
    await using at = await desk();
    const [first, second] = [await write(at, 'a.txt', 'a'), await write(at, 'b.txt', 'b')];
    const edited = await edit(at, 'a.txt', ['a', 'aa']);
    const moved = await move(at, 'b.txt', 'c.txt');
    expect((await refusedUndo(at, first)).message).toContain(edited);
    expect((await refusedUndo(at, second)).message).toContain(moved);
  });

  it('a deletion, with mode and folder', async () => {
    await using at = await desk({ files: { 'dir/run.sh': 'run' } });
    const { mode } = statSync(at.ws.path('dir/run.sh'));
    const gone = await remove(at, 'dir/run.sh');
    rmdirSync(at.ws.path('dir'));
    const back = await undo(at, gone);
    expect([text(at, 'dir/run.sh'), statSync(at.ws.path('dir/run.sh')).mode]).toEqual(['run', mode]);
    await undo(at, back.data.changesetId);
    expect(at.ws.list()).toEqual([]);
  });

  it('a deletion is refused where something else is by now', async () => {
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
    const [first, second] = [await remove(at, 'a.txt'), await remove(at, 'b.txt')];
    const made = await write(at, 'a.txt', 'other');
    writeFileSync(at.ws.path('b.txt'), 'by hand');
    expect((await refusedUndo(at, first)).message).toContain(made);
    expect((await refusedUndo(at, second)).message).toContain('from outside');
  });

  it('a move, whose file later changes edited, and a move back', async () => {
    await using at = await desk({ files: { 'a.txt': 'a', 'dir/': '' } });
    const moved = await move(at, 'a.txt', 'dir/b.txt');
    await edit(at, 'dir/b.txt', ['a', 'edited']);
    const back = await undo(at, moved);
    expect(at.ws.list()).toEqual(['a.txt', 'dir/']);
    expect(text(at, 'a.txt')).toBe('edited');
    await undo(at, back.data.changesetId);
    expect(at.ws.list()).toEqual(['dir/', 'dir/b.txt']);
  });

  it('a move is refused when the place is taken, when it was moved on, and when it was edited from outside', async () => {
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' } });
    const [a, b, c] = [await move(at, 'a.txt', 'a2.txt'), await move(at, 'b.txt', 'b2.txt'), await move(at, 'c.txt', 'c2.txt')];
    await write(at, 'a.txt', 'new');
    const on = await move(at, 'b2.txt', 'b3.txt');
    appendFileSync(at.ws.path('c2.txt'), '!');
    expect((await refusedUndo(at, a)).message).toContain('"a.txt"');
    expect((await refusedUndo(at, b)).message).toContain(on);
    expect((await refusedUndo(at, c)).message).toContain('from outside');
  });

  it('a made folder, but only an empty one', async () => {
    await using at = await desk();
    const { data } = await at.call('make_directory', { path: 'x/y' });
    const taken = await undo(at, data.changesetId);
    expect(at.ws.list()).toEqual([]);
    await undo(at, taken.data.changesetId);
    expect(at.ws.list()).toEqual(['x/', 'x/y/']);
    writeFileSync(at.ws.path('x/y/mine'), '');
    expect((await refusedUndo(at, data.changesetId)).message).toContain('other things are in it');
  });

  it('S08 a link in the place of the file is nothing the journal left', async () => {
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
    const change = await edit(at, 'a.txt', ['a', 'b']);
    unlinkSync(at.ws.path('a.txt'));
    symlinkSync('b.txt', at.ws.path('a.txt'));
    expect((await refusedUndo(at, change)).code).toBe('CONFLICT');
    expect(text(at, 'b.txt')).toBe('b');
  });
});

describe('whose change', () => {
  it('a client takes back its own only, the owner any', async () => {
    await using at = await desk({ files: { 'a.txt': 'a' } });
    const change = await edit(at, 'a.txt', ['a', 'b']);
    expect((await refusedUndo(at, change, 'token:b')).code).toBe('FORBIDDEN');
    expect((await refusedUndo(at, 'chg_none')).code).toBe('NOT_FOUND');
    expect((await at.call('change_history', {}, { caller: 'token:b' })).data['changesets']).toEqual([]);
    await undo(at, change, 'owner');
    const own = (await at.call('change_history', {})).data['changesets'];
    expect(own).toMatchObject([{ changesetId: change, kind: 'apply', summary: 'Edit a.txt', caller: 'token:a' }]);
    const all = (await at.call('change_history', {}, { caller: 'owner' })).data['changesets'] as {
      undoneBy: string | null;
      changesetId: string;
    }[];
    expect(all.map(({ undoneBy }) => undoneBy)).toEqual([null, all[0]?.changesetId]);
  });

  it('S10 asks before an undo changes a file that runs with more power', async () => {
    await using at = await desk({ files: { Makefile: 'all:\n' } });
    const change = await edit(at, 'Makefile', ['all', 'everything']);
    expect((await at.asks('rollback_changes', { changesetId: change, idempotencyKey: key() }))?.reasons).toHaveLength(1);
    const plain = await write(at, 'a.txt', 'a');
    expect(await at.asks('rollback_changes', { changesetId: plain, idempotencyKey: key() })).toBeNull();
  });
});
