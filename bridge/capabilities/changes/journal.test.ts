// All files or none: real failures in the middle of a change, and what the disk, the journal and the next call say afterwards.
import { spawnSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import { desk, type Desk } from '../../testing/desk.ts';

const files = { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c', 'd/e.txt': 'e' };

/** A plan of every kind of step: two replacements, a creation in a new folder, a deletion, a move. */
async function planAll(at: Desk) {
  const operations = [
    { kind: 'replace_file', path: 'a.txt', content: 'A', expectedHash: sha256('a') },
    { kind: 'create', path: 'new/deep/f.txt', content: 'f' },
    { kind: 'delete', path: 'c.txt', expectedHash: sha256('c') },
    { kind: 'move', path: 'd/e.txt', destPath: 'd/moved.txt', expectedHash: sha256('e') },
    { kind: 'replace_exact', path: 'b.txt', find: 'b', replace: 'B', expectedHash: sha256('b') },
  ];
  const { planId, planHash } = (await at.call('preview_changes', { operations })).data;
  return { planId, planHash, idempotencyKey: 'key-12345' };
}

const statusOf = async (at: Desk) =>
  ((await at.call('change_history', {}, { caller: 'owner' })).data['changesets'] as { status: string }[]).map(({ status }) => status);

/** Runs the plan with an accident at one stage, and shows what that led to. */
async function accident(stage: string, work: (at: Desk) => void) {
  let here: Desk | null = null;
  const at = await desk({ files, onStage: (reached) => void (reached === stage && here !== null && work(here)) });
  here = at;
  const before = at.snapshot();
  const code = await at.code('apply_changes', await planAll(at));
  return { at, before, code, [Symbol.asyncDispose]: () => at[Symbol.asyncDispose]() };
}

describe('a change of several files', () => {
  it('is applied whole', async () => {
    await using at = await desk({ files });
    const { data } = await at.call('apply_changes', await planAll(at));
    expect(at.ws.list()).toEqual(['a.txt', 'b.txt', 'd/', 'd/moved.txt', 'new/', 'new/deep/', 'new/deep/f.txt']);
    expect([at.ws.bytes('a.txt').toString(), at.ws.bytes('b.txt').toString()]).toEqual(['A', 'B']);
    expect(data['files']).toHaveLength(7);
    expect(await statusOf(at)).toEqual(['committed']);
  });

  const swaps = [2, 3, 4, 5, 6].map((index) => `swapping:${index}`);

  it.each([...swaps, 'temps-written', 'folders-made'])('is taken back whole when a file changes from outside at %s', async (stage) => {
    // The last file in order, so that everything before it was done already.
    await using run = await accident(stage, ({ ws }) => appendFileSync(ws.path('b.txt'), '!'));
    const { at, before, code } = run;
    expect(code).toBe('FILE_CHANGED');
    expect(at.ws.bytes('b.txt').toString()).toBe('b!');
    expect({ ...at.snapshot(), 'b.txt': '' }).toEqual({ ...before, 'b.txt': '' });
    expect(await statusOf(at)).toEqual(['failed']);
    expect(await at.code('write_file', { path: 'a.txt', content: 'x', expectedHash: sha256('a') })).toBe('OK');
  });

  it('looks at every file again before it touches the first', async () => {
    const stages: string[] = [];
    let here: Desk | null = null;
    await using at = await desk({
      files,
      onStage(stage) {
        stages.push(stage);
        if (stage === 'temps-written') here?.ws.write('b.txt', 'from outside');
      },
    });
    here = at;
    expect(await at.code('apply_changes', await planAll(at))).toBe('FILE_CHANGED');
    expect(stages.filter((stage) => stage.startsWith('swapping'))).toEqual([]);
  });

  it.each([
    ['a file where one is to be made', 'swapping:3', (at: Desk) => at.ws.write('new/deep/f.txt', 'theirs'), 'new/deep/f.txt'],
    ['a file where one is to be moved', 'swapping:5', (at: Desk) => at.ws.write('d/moved.txt', 'theirs'), 'd/moved.txt'],
    [
      'a link in the place of a file',
      'swapping:6',
      (at: Desk) => (unlinkSync(at.ws.path('b.txt')), symlinkSync('a.txt', at.ws.path('b.txt'))),
      'b.txt',
    ],
    ['a second hard link', 'swapping:6', (at: Desk) => linkSync(at.ws.path('b.txt'), `${at.ws.outside}/b`), 'b.txt'],
    ['a file that is gone', 'swapping:4', (at: Desk) => unlinkSync(at.ws.path('c.txt')), 'c.txt'],
  ])('never overwrites %s', async (...[, stage, work, path]) => {
    await using run = await accident(stage, work);
    const { at, before, code } = run;
    expect(code).toBe('FILE_CHANGED');
    const after = at.snapshot();
    if (path === 'new/deep/f.txt') {
      expect(at.ws.bytes(path).toString()).toBe('theirs');
      for (const folder of ['new/', 'new/deep/', path]) delete after[folder];
    }
    if (path === 'd/moved.txt') expect(at.ws.bytes(path).toString()).toBe('theirs');
    delete after[path];
    delete before[path];
    expect(after).toEqual(before);
    expect(await statusOf(at)).toEqual(['failed']);
  });

  it('S08 keeps to the folder it opened when a parent becomes a link to the outside', async () => {
    await using run = await accident('temps-written', ({ ws }) => {
      renameSync(ws.path('d'), ws.path('was-d'));
      mkdirSync(`${ws.outside}/d`);
      writeFileSync(`${ws.outside}/d/e.txt`, 'e');
      symlinkSync(`${ws.outside}/d`, ws.path('d'));
    });
    const { at, code } = run;
    const { ws } = at;
    expect(['OK', 'PATH_DENIED', 'PARTIAL_RECOVERY_REQUIRED']).toContain(code);
    const outside = spawnSync('ls', ['-A', `${ws.outside}/d`], { encoding: 'utf8' });
    expect(outside.stdout.trim()).toBe('e.txt');
  });

  it('is taken back when the system refuses one file in the middle', async () => {
    let isLocked = false;
    const lock = (path: string, flag: '+i' | '-i') => spawnSync('chattr', [flag, path]).status === 0;
    await using run = await accident('swapping:6', ({ ws }) => void (isLocked = lock(ws.path('b.txt'), '+i')));
    const { at, before, code } = run;
    if (!isLocked) return expect(code).toBe('OK'); // Only root can make a file immutable, and not on every disk.
    lock(at.ws.path('b.txt'), '-i');
    expect(code).toBe('PATH_DENIED');
    expect(at.snapshot()).toEqual(before);
    expect(await statusOf(at)).toEqual(['failed']);
  });

  it('that cannot be taken back whole names the file, blocks the next change, and is settled by the owner', async () => {
    const stages: string[] = [];
    let here: Desk | null = null;
    await using at = await desk({
      files,
      onStage(stage) {
        stages.push(stage);
        if (stage === 'swapping:6') here?.ws.write('b.txt', 'from outside');
        if (stage === 'taking-back') here?.ws.write('a.txt', 'also from outside');
      },
    });
    here = at;
    const reserve = `INSERT INTO idempotency (reservation, principal, workspace, operation, key, arguments_hash, state, created_at, expires_at)
      VALUES ('idm_test', 'token:a', 'ws', 'apply_changes', 'key', '', 'reserved', 0, 0)`;
    at.state.store.exec(reserve);
    const failure = await at
      .call('apply_changes', await planAll(at), { reservation: 'idm_test' })
      .catch((error: { failure: { code: string; detail: Record<string, unknown> } }) => error.failure);
    expect(failure).toMatchObject({ code: 'PARTIAL_RECOVERY_REQUIRED', detail: { files: ['a.txt'] } });
    expect(at.ws.list()).toEqual(['a.txt', 'b.txt', 'c.txt', 'd/', 'd/e.txt']);
    expect([at.ws.bytes('a.txt').toString(), at.ws.bytes('b.txt').toString()]).toEqual(['also from outside', 'from outside']);
    expect(await statusOf(at)).toEqual(['recovery_required']);
    const write = { path: 'x.txt', content: 'x', expectedHash: 'absent' };
    expect(await at.code('write_file', write)).toBe('RECOVERY_REQUIRED');
    expect(at.ws.list()).not.toContain('x.txt');
    const changesetId = String((failure as { detail: Record<string, unknown> }).detail['changesetId']);
    expect(await at.code('rollback_changes', { changesetId, idempotencyKey: 'key-12345' })).toBe('CONFLICT');
    const settled = await at.call('change_settle', { changesetId }, { caller: 'owner' });
    expect(settled.data).toEqual({ changesetId, status: 'failed' });
    expect(await at.code('write_file', write)).toBe('OK');
    expect(await at.changes.recover()).toEqual([]); // its key stays uncertain: something was done under it
    expect(await at.code('change_settle', { changesetId: 'chg_none' }, { caller: 'owner' })).toBe('NOT_FOUND');
  });

  it('that could not be taken back whole ends by itself once what was in its way is gone', async () => {
    let here: Desk | null = null;
    await using at = await desk({
      files,
      onStage(stage) {
        if (stage === 'swapping:6') here?.ws.write('b.txt', 'from outside');
        if (stage === 'taking-back') here?.ws.write('a.txt', 'also from outside');
      },
    });
    here = at;
    const before = at.snapshot();
    const texts = ['a.txt', 'b.txt'].map((path) => [path, at.ws.bytes(path)] as const);
    expect(await at.code('apply_changes', await planAll(at))).toBe('PARTIAL_RECOVERY_REQUIRED');
    const write = { path: 'x.txt', content: 'x', expectedHash: 'absent' };
    expect(await at.code('write_file', write)).toBe('RECOVERY_REQUIRED');
    for (const [path, bytes] of texts) at.ws.write(path, bytes);
    expect(Object.keys(at.snapshot())).toEqual(Object.keys(before));
    expect(await at.code('write_file', write)).toBe('OK');
    expect(await statusOf(at)).toEqual(['committed', 'failed']);
  });

  it('leaves no temp file when a writer fails', async () => {
    await using run = await accident('folders-made', ({ ws }) => rmSync(ws.path('new'), { recursive: true }));
    const { at, before, code } = run;
    expect(code).not.toBe('OK');
    expect(at.snapshot()).toEqual(before);
  });

  it('is refused before it begins when the call was cancelled', async () => {
    await using at = await desk({ files });
    const signal = AbortSignal.abort();
    expect(await at.code('write_file', { path: 'x', content: 'x', expectedHash: 'absent' }, { signal })).toBe('CONFLICT');
    expect(await statusOf(at)).toEqual([]);
  });

  it('is refused when what was there cannot be kept', async () => {
    await using at = await desk({ files: { 'a.txt': 'x'.repeat(1000) }, capBytes: 100 });
    expect(await at.code('write_file', { path: 'a.txt', content: 'y', expectedHash: at.hash('a.txt') })).toBe('RESOURCE_LIMIT');
    expect(at.ws.bytes('a.txt').length).toBe(1000);
    expect(await statusOf(at)).toEqual([]);
  });
});
