// Plans: what was reviewed and nothing else, once, by its own caller, on the files as they were; and no file twice.
import { linkSync, unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sha256 } from '../../base/digest.ts';
import type { Located } from '../../base/fs/root.ts';
import { text, write } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';
import { refused } from '../../testing/refused.ts';
import { createTouched } from './touched.ts';

const replace = (path: string, before: string, content: string) => ({ kind: 'replace_file', path, content, expectedHash: sha256(before) });

async function planned(at: Desk, operations: object[], caller?: string) {
  const { data } = await at.call('preview_changes', { operations }, caller === undefined ? {} : { caller });
  return data as unknown as {
    planId: string;
    planHash: string;
    expiresAt: number;
    risk: string;
    files: Record<string, unknown>[];
    summary: string;
  };
}

const applying = ({ planId, planHash }: { planId: string; planHash: string }) => ({ planId, planHash, idempotencyKey: 'key-12345' });

describe('preview_changes', () => {
  it('says what would be done and writes nothing', async () => {
    await using at = await desk({ files: { 'a.txt': 'a\n', 'b.txt': 'b', 'c.txt': 'c' } });
    const before = at.snapshot();
    const plan = await planned(at, [
      { kind: 'replace_exact', path: 'a.txt', find: 'a', replace: '$&', expectedHash: sha256('a\n') },
      { kind: 'move', path: 'b.txt', destPath: 'd.txt', expectedHash: sha256('b') },
      { kind: 'create', path: 'x/new.txt', content: 'new' },
      { kind: 'delete', path: 'c.txt', expectedHash: sha256('c') },
    ]);
    expect(plan).toMatchObject({
      risk: 'high',
      requiresApproval: false,
      summary: 'Change 4 files: a.txt, b.txt, x/new.txt and 1 more; Make 1 folder: x',
    });
    expect(plan.files).toMatchObject([
      { action: 'mkdir', path: 'x' },
      { action: 'replace', path: 'a.txt', afterHash: sha256('$&\n'), bytesBefore: 2, bytesAfter: 3 },
      { action: 'move', path: 'b.txt', destPath: 'd.txt', bytesBefore: 1, bytesAfter: 1 },
      { action: 'create', path: 'x/new.txt', beforeHash: null, bytesAfter: 3 },
      { action: 'delete', path: 'c.txt', afterHash: null, bytesBefore: 1 },
    ]);
    expect(plan.files[1]?.['diff']).toContain('-a\n+$&');
    expect(at.snapshot()).toEqual(before);
    expect((await planned(at, [{ kind: 'create', path: 'only.txt', content: '' }])).risk).toBe('low');
    expect((await planned(at, [replace('b.txt', 'b', 'B')])).risk).toBe('medium');
  });

  it.each([
    ['one file twice', [replace('a.txt', 'a', 'x'), { kind: 'delete', path: './a.txt', expectedHash: sha256('a') }], 'CONFLICT'],
    [
      'a move onto a file it makes',
      [
        { kind: 'create', path: 'n', content: '' },
        { kind: 'move', path: 'a.txt', destPath: 'n', expectedHash: sha256('a') },
      ],
      'CONFLICT',
    ],
    [
      'a file and a folder of one name',
      [
        { kind: 'create', path: 'n/x', content: '' },
        { kind: 'create', path: 'n', content: '' },
      ],
      'CONFLICT',
    ],
    [
      'the same the other way round',
      [
        { kind: 'create', path: 'n', content: '' },
        { kind: 'create', path: 'n/x', content: '' },
      ],
      'CONFLICT',
    ],
    ['a creation where a file is', [{ kind: 'create', path: 'a.txt', content: '' }], 'FILE_CHANGED'],
    ['a stale hash', [replace('a.txt', 'old', 'x')], 'FILE_CHANGED'],
    ['nothing to do', [replace('a.txt', 'a', 'a')], 'CONFLICT'],
    ['too many bytes in sum', ['m', 'n'].map((path) => ({ kind: 'create', path, content: 'x'.repeat(5 * 1024 * 1024) })), 'RESOURCE_LIMIT'],
    [
      'text that is not there',
      [{ kind: 'replace_exact', path: 'a.txt', find: 'z', replace: '', expectedHash: sha256('a') }],
      'AMBIGUOUS_EDIT',
    ],
  ])('refuses %s', async (_name, operations, code) => {
    await using at = await desk({ files: { 'a.txt': 'a' } });
    expect((await refused(at, 'preview_changes', { operations })).code).toBe(code);
  });

  it('names every file that is not the expected one', async () => {
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b', 'c.txt': 'c' } });
    const failure = await refused(at, 'preview_changes', {
      operations: [replace('a.txt', 'x', '1'), replace('b.txt', 'b', '2'), replace('c.txt', 'y', '3')],
    });
    expect(failure).toMatchObject({
      code: 'FILE_CHANGED',
      detail: { count: 2, conflicts: [{ path: 'a.txt', currentHash: sha256('a') }, { path: 'c.txt' }] },
    });
  });

  it('takes at most fifty operations', async () => {
    await using at = await desk();
    const operations = Array.from({ length: 51 }, (_unused, index) => ({ kind: 'create', path: `f${index}`, content: '' }));
    await expect(at.call('preview_changes', { operations })).rejects.toThrow();
    expect((await planned(at, operations.slice(1))).files).toHaveLength(50);
  });
});

describe('apply_changes', () => {
  it('applies a plan once', async () => {
    await using at = await desk({ files: { 'a.txt': 'a' } });
    const plan = await planned(at, [replace('a.txt', 'a', 'b')]);
    const { data } = await at.call('apply_changes', applying(plan));
    expect(data).toMatchObject({
      rollbackAvailable: true,
      files: [{ path: 'a.txt', action: 'replace', beforeHash: sha256('a'), afterHash: sha256('b') }],
    });
    expect(await at.code('apply_changes', applying(plan))).toBe('PLAN_EXPIRED');
    const [change] = (await at.call('change_history', {})).data['changesets'] as { planId: string }[];
    expect(change?.planId).toBe(plan.planId);
  });

  it('refuses another caller, another hash, another epoch, an old plan and an unknown one', async () => {
    await using at = await desk({ files: { 'a.txt': 'a' } });
    const plan = await planned(at, [replace('a.txt', 'a', 'b')]);
    expect(await at.code('apply_changes', applying(plan), { caller: 'token:b' })).toBe('FORBIDDEN');
    expect(await at.code('apply_changes', { ...applying(plan), planHash: sha256('other') })).toBe('PLAN_HASH_MISMATCH');
    expect(await at.code('apply_changes', { ...applying(plan), planId: 'plan_none' })).toBe('NOT_FOUND');
    at.state.store.prepare('UPDATE plans SET payload = ?').run('{"steps":[]}');
    expect(await at.code('apply_changes', applying(plan))).toBe('PLAN_HASH_MISMATCH');
    const second = await planned(at, [replace('a.txt', 'a', 'c')]);
    at.ws.project.epoch = 'epoch_after_restart';
    expect(await at.code('apply_changes', applying(second))).toBe('PLAN_EXPIRED');
    const third = await planned(at, [replace('a.txt', 'a', 'd')]);
    at.state.clock.advance(15 * 60 * 1000 + 1);
    expect(await at.code('apply_changes', applying(third))).toBe('PLAN_EXPIRED');
    expect(text(at, 'a.txt')).toBe('a');
    expect((await at.call('change_history', {})).data['changesets']).toEqual([]);
  });

  it('says of a plan whose application the end of the bridge broke off that all was put back', async () => {
    let isBroken = true;
    const onStage = (stage: string) => {
      if (isBroken && stage === 'swapped') throw new Error('The test ends it here.');
    };
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b' }, onStage });
    const plan = await planned(at, [replace('a.txt', 'a', '1'), replace('b.txt', 'b', '2')]);
    await expect(at.call('apply_changes', applying(plan))).rejects.toThrow('ends it here');
    isBroken = false;
    at.ws.project.epoch = 'epoch_after_restart';
    await expect(at.call('apply_changes', applying(plan))).rejects.toMatchObject({
      failure: {
        code: 'PLAN_EXPIRED',
        message: expect.stringContaining('every file was put back') as string,
        detail: { changesetId: expect.stringMatching(/./) as string },
      },
    });
    expect([text(at, 'a.txt'), text(at, 'b.txt')]).toEqual(['a', 'b']);
  });

  it('refuses all when one file changed since the review', async () => {
    await using at = await desk({ files: { 'a.txt': 'a', 'b.txt': 'b' } });
    const plan = await planned(at, [replace('a.txt', 'a', '1'), replace('b.txt', 'b', '2')]);
    writeFileSync(at.ws.path('b.txt'), 'by hand');
    expect(await at.code('apply_changes', applying(plan))).toBe('FILE_CHANGED');
    expect([text(at, 'a.txt'), text(at, 'b.txt')]).toEqual(['a', 'by hand']);
    writeFileSync(at.ws.path('b.txt'), 'b');
    expect(await at.code('apply_changes', applying(plan))).toBe('OK');
  });

  it('keeps the bytes of a plan that waits, also when the store is full', async () => {
    await using at = await desk({ capBytes: 1000 });
    const plan = await planned(at, [{ kind: 'create', path: 'a.txt', content: 'a'.repeat(500) }]);
    for (const name of ['b', 'c', 'd']) await write(at, name, name.repeat(400));
    expect(await at.code('apply_changes', applying(plan))).toBe('OK');
    expect(text(at, 'a.txt')).toBe('a'.repeat(500));
  });
});

describe('one file under two names', () => {
  const located = (relative: string, ino: bigint | null) =>
    ({ relative, stats: ino === null ? null : { dev: 1n, ino } }) as unknown as Located;

  it('is told by the file itself', async () => {
    const touched = createTouched('linux');
    touched.file(located('a.txt', 1n));
    expect(() => touched.file(located('A.txt', 1n))).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    touched.file(located('A.TXT', 2n));
    await using at = await desk({ files: { 'a.txt': 'a' } });
    linkSync(at.ws.path('a.txt'), at.ws.path('b.txt'));
    expect(await at.code('preview_changes', { operations: [replace('a.txt', 'a', '1'), replace('b.txt', 'a', '2')] })).toBe('PATH_DENIED');
    unlinkSync(at.ws.path('b.txt'));
  });

  it('is told by its folded name where the disk would, for files that are not there yet', () => {
    const [mac, linux] = [createTouched('darwin'), createTouched('linux')];
    for (const touched of [mac, linux]) touched.file(located('Caf\u00e9.txt', null));
    expect(() => mac.file(located('cafe\u0301.TXT', null))).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    linux.file(located('cafe\u0301.TXT', null));
  });
});
