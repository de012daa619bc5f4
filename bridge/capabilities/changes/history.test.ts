// What the owner sees of a change: its diff, how the files stand to it now, and whether it can be taken back.
import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { edit, move, remove, undo } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';

describe('change_inspect', () => {
  const inspect = async (at: Desk, changesetId: string) =>
    (await at.call('change_inspect', { changesetId }, { caller: 'owner' })).data as unknown as {
      files: { onDisk: string; diff: string }[];
      laterChanges: string[];
      undo: { possible: boolean; reason: string | null };
    };

  it('says how the file stands to the change', async () => {
    await using at = await desk({ files: { 'a.txt': 'one\ntwo\n' } });
    const first = await edit(at, 'a.txt', ['one', 'ONE']);
    expect(await inspect(at, first)).toMatchObject({
      files: [{ onDisk: 'after' }],
      laterChanges: [],
      undo: { possible: true, reason: null },
    });
    expect((await inspect(at, first)).files[0]?.diff).toContain('-one\n+ONE');
    const second = await edit(at, 'a.txt', ['two', 'TWO']);
    expect(await inspect(at, first)).toMatchObject({
      files: [{ onDisk: 'later_change' }],
      laterChanges: [second],
      undo: { possible: true },
    });
    writeFileSync(at.ws.path('a.txt'), 'by hand');
    expect(await inspect(at, first)).toMatchObject({ files: [{ onDisk: 'edited_outside' }], undo: { possible: false } });
    writeFileSync(at.ws.path('a.txt'), 'one\ntwo\n');
    expect(await inspect(at, first)).toMatchObject({ files: [{ onDisk: 'before' }] });
    unlinkSync(at.ws.path('a.txt'));
    expect(await inspect(at, first)).toMatchObject({ files: [{ onDisk: 'missing' }], undo: { possible: false } });
    mkdirSync(at.ws.path('a.txt'));
    expect(await inspect(at, first)).toMatchObject({ files: [{ onDisk: 'edited_outside' }] });
  });

  it('knows folders, moves and deletions', async () => {
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
    const made = (await at.call('make_directory', { path: 'dir' })).data.changesetId;
    const moved = await move(at, 'a.txt', 'dir/a.txt');
    const gone = await remove(at, 'b.txt');
    for (const id of [made, moved, gone]) expect(await inspect(at, id)).toMatchObject({ files: [{ onDisk: 'after' }] });
    expect((await inspect(at, moved)).files[0]?.diff).toBe('rename from a.txt\nrename to dir/a.txt\n');
    expect((await inspect(at, made)).undo.possible).toBe(false);
  });

  it('tells a turn by the change that it began with, however often it is turned', async () => {
    await using at = await desk({ files: {} });
    const made = await at.call('write_file', { path: 'a.txt', content: 'a', expectedHash: 'absent' });
    const briefs: (string | undefined)[] = [];
    for (let { changesetId } = made.data, n = 0; n < 4; n += 1) {
      const turned = await undo(at, changesetId);
      briefs.push(turned.brief);
      ({ changesetId } = turned.data);
    }
    const [back, again] = ['Took back: Create a.txt', 'Made again: Create a.txt'];
    expect(briefs).toEqual([back, again, back, again]);
  });
});
