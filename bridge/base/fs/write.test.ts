// Replacing and creating files: everything but the bytes stays, and nothing that was not named is ever overwritten.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { getAttributeSync, listAttributesSync, setAttributeSync } from 'fs-xattr';
import { describe, expect, it } from 'vitest';
import { workspace } from '../../testing/workspace.ts';
import { openFolder } from './folder.ts';
import { readMeta, type Meta } from './meta.ts';
import { look, makeDirectory, moveWithoutOverwrite, removeDirectory, removeIfThere, replaceWith, writeTemp } from './write.ts';

const codeOf = (work: () => unknown) => {
  try {
    work();
    return 'OK';
  } catch (error) {
    return (error as { code?: string }).code;
  }
};

function metaOf(path: string): Meta {
  const fd = openSync(path, 'r');
  try {
    return readMeta({ fd, path });
  } finally {
    closeSync(fd);
  }
}

/** Whether this disk keeps `user.*` attributes at all. */
function keepsAttributes(path: string): boolean {
  try {
    setAttributeSync(path, 'user.drawbridge-probe', '1');
    return true;
  } catch (error) {
    expect(['ENOTSUP', 'EOPNOTSUPP']).toContain((error as NodeJS.ErrnoException).code);
    return false;
  }
}

const isRoot = process.getuid?.() === 0;
/** What only root can set up is not a test elsewhere. */
const onlyRoot = (name: string, work: () => Promise<void>) => (isRoot ? it(name, work) : undefined);
const HARD_LINK_RULE = '/proc/sys/fs/protected_hardlinks';

describe('a replacement', () => {
  it('keeps mode and extended attributes, and is durable under its temp name first', async () => {
    await using ws = await workspace({ 'a.sh': 'old' });
    chmodSync(ws.path('a.sh'), 0o4751);
    const hasAttributes = keepsAttributes(ws.path('a.sh'));
    if (hasAttributes) setAttributeSync(ws.path('a.sh'), 'user.note', Buffer.from([0, 255, 1]));
    const folder = await openFolder(ws.root, '.');
    const [temp, target] = [
      { folder, name: 'temp' },
      { folder, name: 'a.sh' },
    ];
    await writeTemp(temp, { bytes: Buffer.from('new'), meta: metaOf(ws.path('a.sh')) });
    replaceWith(temp, target);
    await folder.sync();
    folder.close();
    expect(readFileSync(ws.path('a.sh'), 'utf8')).toBe('new');
    expect(statSync(ws.path('a.sh')).mode & 0o7777).toBe(0o4751);
    expect(ws.list()).toEqual(['a.sh']);
    if (hasAttributes) expect(getAttributeSync(ws.path('a.sh'), 'user.note')).toEqual(Buffer.from([0, 255, 1]));
    else expect(listAttributesSync(ws.path('a.sh'))).toEqual([]);
  });

  onlyRoot('keeps the owner when the system lets it, and is refused when it does not', async () => {
    await using ws = await workspace({ 'a.txt': 'old', 'b.txt': 'old' });
    chownSync(ws.path('a.txt'), 4242, 4343);
    const meta = metaOf(ws.path('a.txt'));
    const folder = await openFolder(ws.root, '.');
    await writeTemp({ folder, name: 'temp' }, { bytes: Buffer.from('new'), meta });
    expect([statSync(ws.path('temp')).uid, statSync(ws.path('temp')).gid]).toEqual([4242, 4343]);
    const denied = asNobody(ws.root, () => writeTemp({ folder, name: 'temp2' }, { bytes: Buffer.from('x'), meta }));
    await expect(denied).rejects.toMatchObject({ code: 'NOT_SUPPORTED' });
    folder.close();
  });

  it('a temp name that is taken is never written to, also when it is a link', async () => {
    await using ws = await workspace({ taken: 'mine' });
    symlinkSync(`${ws.outside}/canary`, ws.path('link'));
    const folder = await openFolder(ws.root, '.');
    for (const name of ['taken', 'link'])
      await expect(writeTemp({ folder, name }, { bytes: Buffer.from('x'), meta: null })).rejects.toMatchObject({ code: 'EEXIST' });
    folder.close();
    expect(readFileSync(ws.path('taken'), 'utf8')).toBe('mine');
    expect(existsSync(`${ws.outside}/canary`)).toBe(false);
  });

  it('S08 goes into the directory that was opened, also when its path now leads outside', async () => {
    await using ws = await workspace({ 'src/a.txt': 'old' });
    const folder = await openFolder(ws.root, 'src');
    renameSync(ws.path('src'), ws.path('moved'));
    symlinkSync(ws.outside, ws.path('src'));
    const write = writeTemp({ folder, name: 'temp' }, { bytes: Buffer.from('x'), meta: null });
    if (process.platform === 'linux') await write;
    else await expect(write).rejects.toMatchObject({ code: 'PATH_DENIED' });
    folder.close();
    expect(readdirSync(ws.outside)).toEqual([]);
  });
});

describe('a new name', () => {
  it('S08 is never taken from a file, a folder or a link that is there', async () => {
    await using ws = await workspace({ temp: 'new', file: 'mine', 'folder/': '' });
    symlinkSync('file', ws.path('link'));
    const folder = await openFolder(ws.root, '.');
    for (const name of ['file', 'folder', 'link'])
      expect(codeOf(() => moveWithoutOverwrite({ folder, name: 'temp' }, { folder, name }))).toBe('FILE_CHANGED');
    renameSync(ws.path('temp'), ws.path('file')); // the canary fires: a plain rename does overwrite
    expect(readFileSync(ws.path('file'), 'utf8')).toBe('new');
    moveWithoutOverwrite({ folder, name: 'file' }, { folder, name: 'free' });
    folder.close();
    expect(ws.list()).toEqual(['folder/', 'free', 'link']);
    expect(statSync(ws.path('free')).nlink).toBe(1);
  });

  onlyRoot('is taken without overwriting also where no hard link may be made', async () => {
    if (!existsSync(HARD_LINK_RULE) || readFileSync(HARD_LINK_RULE, 'utf8').trim() !== '1') return;
    await using ws = await workspace({ 'a.txt': 'of root', 'b.txt': 'mine' });
    chmodSync(ws.path('a.txt'), 0o600);
    const folder = await openFolder(ws.root, '.');
    const move = (name: string) => moveWithoutOverwrite({ folder, name: 'a.txt' }, { folder, name });
    await asNobody(ws.root, async () => expect(codeOf(() => move('b.txt'))).toBe('FILE_CHANGED'));
    await asNobody(ws.root, async () => move('c.txt'));
    folder.close();
    expect(ws.list()).toEqual(['b.txt', 'c.txt']);
    expect([readFileSync(ws.path('b.txt'), 'utf8'), readFileSync(ws.path('c.txt'), 'utf8')]).toEqual(['mine', 'of root']);
  });

  it('new files and folders get the rights the system gives', async () => {
    await using ws = await workspace({});
    const folder = await openFolder(ws.root, '.');
    await writeTemp({ folder, name: 'plain' }, { bytes: Buffer.from(''), meta: null });
    await writeTemp({ folder, name: 'run' }, { bytes: Buffer.from(''), meta: null, isExecutable: true });
    makeDirectory({ folder, name: 'dir' });
    expect(codeOf(() => makeDirectory({ folder, name: 'dir' }))).toBe('FILE_CHANGED');
    folder.close();
    writeFileSync(ws.path('by-hand'), '');
    mkdirSync(ws.path('dir-by-hand'));
    const mode = (name: string) => statSync(ws.path(name)).mode & 0o777;
    expect(mode('plain')).toBe(mode('by-hand'));
    expect(mode('run')).toBe(mode('by-hand') | ((mode('dir-by-hand') & 0o111) as number));
    expect(mode('dir')).toBe(mode('dir-by-hand'));
  });
});

describe('removing', () => {
  it('takes what is there and says when there was nothing; a folder only when it is empty', async () => {
    await using ws = await workspace({ 'a.txt': '', 'full/b.txt': '', 'empty/': '' });
    const folder = await openFolder(ws.root, '.');
    expect([removeIfThere({ folder, name: 'a.txt' }), removeIfThere({ folder, name: 'a.txt' })]).toEqual([true, false]);
    expect(removeDirectory({ folder, name: 'full' })).toBe(false);
    expect(removeDirectory({ folder, name: 'empty' })).toBe(true);
    expect(look({ folder, name: 'empty' })).toBeNull();
    expect(look({ folder, name: 'full' })?.isDirectory()).toBe(true);
    folder.close();
    expect(ws.list()).toEqual(['full/', 'full/b.txt']);
  });

  it('says a refusal of the system in plain words', async () => {
    await using ws = await workspace({ 'locked/a.txt': 'mine' });
    const folder = await openFolder(ws.root, 'locked');
    if (!setLocked(ws.path('locked'), true)) return folder.close();
    try {
      await expect(writeTemp({ folder, name: 'x' }, { bytes: Buffer.from(''), meta: null })).rejects.toMatchObject({ code: 'PATH_DENIED' });
      expect(codeOf(() => removeIfThere({ folder, name: 'a.txt' }))).toBe('PATH_DENIED');
      expect(codeOf(() => moveWithoutOverwrite({ folder, name: 'a.txt' }, { folder, name: 'b.txt' }))).toBe('PATH_DENIED');
    } finally {
      folder.close();
      setLocked(ws.path('locked'), false);
    }
    expect(ws.list()).toEqual(['locked/', 'locked/a.txt']);
  });
});

/** Closes a folder to writing. Only an immutable one stops root; false where the disk knows no such thing. */
function setLocked(path: string, isLocked: boolean): boolean {
  if (!isRoot) {
    chmodSync(path, isLocked ? 0o555 : 0o755);
    return true;
  }
  return spawnSync('chattr', [isLocked ? '+i' : '-i', path]).status === 0;
}

/** Runs as a user who owns nothing here but may write into the folder. */
async function asNobody<T>(root: string, work: () => Promise<T>): Promise<T> {
  for (const path of [root, root.slice(0, root.lastIndexOf('/'))]) chmodSync(path, 0o777);
  process.setegid?.(65534);
  process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
    process.setegid?.(0);
  }
}
