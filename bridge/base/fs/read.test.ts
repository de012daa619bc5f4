// Races between the look and the opening: whatever is put in a file's place, no byte from outside is ever read.
import { execFileSync } from 'node:child_process';
import { appendFileSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workspace, type Workspace } from '../../testing/workspace.ts';
import { openFolder } from './folder.ts';
import { hashFile, openRegular, readRange, readWhole } from './read.ts';
import { resolveInside } from './root.ts';

const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'OK',
    (error: { code: string }) => error.code,
  );

async function read(ws: Workspace, path: string): Promise<string> {
  const file = await openRegular(ws.root, await resolveInside(ws.root, path));
  try {
    return (await readWhole(file)).toString();
  } finally {
    file.close();
  }
}

describe('openRegular', () => {
  it('reads what was found, whole and in parts', async () => {
    await using ws = await workspace({ 'src/a.ts': 'hello' });
    expect(await read(ws, 'src/a.ts')).toBe('hello');
    const file = await openRegular(ws.root, await resolveInside(ws.root, 'src/a.ts'));
    expect((await readRange(file, 1, 3)).toString()).toBe('ell');
    expect((await readRange(file, 4, 10)).toString()).toBe('o');
    expect(await hashFile(file)).toBe('2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824');
    file.close();
  });

  it('S08 refuses a link that was put in place of the file after the look', async () => {
    await using ws = await workspace({ 'a.txt': 'mine' });
    writeFileSync(`${ws.outside}/secret`, 'CANARY');
    const located = await resolveInside(ws.root, 'a.txt');
    rmSync(ws.path('a.txt'));
    symlinkSync(`${ws.outside}/secret`, ws.path('a.txt'));
    expect(readFileSync(located.absolute, 'utf8')).toBe('CANARY'); // the canary fires without the guard
    expect(await codeOf(openRegular(ws.root, located))).toBe('PATH_DENIED');
  });

  it('S08 refuses when a parent folder became a link after the look', async () => {
    await using ws = await workspace({ 'src/deep/a.txt': 'mine' });
    mkdirSync(`${ws.outside}/deep`);
    writeFileSync(`${ws.outside}/deep/a.txt`, 'CANARY');
    const located = await resolveInside(ws.root, 'src/deep/a.txt');
    renameSync(ws.path('src'), ws.path('old'));
    symlinkSync(ws.outside, ws.path('src'));
    expect(readFileSync(located.absolute, 'utf8')).toBe('CANARY');
    expect(await codeOf(openRegular(ws.root, located))).toBe('PATH_DENIED');
  });

  it('S08 a held folder keeps to its directory when the path is swapped', async () => {
    await using ws = await workspace({ 'src/a.txt': 'mine' });
    writeFileSync(`${ws.outside}/a.txt`, 'CANARY');
    const folder = await openFolder(ws.root, 'src');
    renameSync(ws.path('src'), ws.path('old'));
    symlinkSync(ws.outside, ws.path('src'));
    if (process.platform === 'linux') expect(readFileSync(folder.at('a.txt'), 'utf8')).toBe('mine');
    else expect(() => folder.at('a.txt')).toThrow();
    folder.close();
    expect(await codeOf(openFolder(ws.root, 'src'))).toBe('PATH_DENIED');
  });

  it('a held folder takes only plain names', async () => {
    await using ws = await workspace({ 'src/a.txt': '' });
    const folder = await openFolder(ws.root, 'src');
    for (const name of ['', '.', '..', 'a/b', '../x', 'a\0']) expect(() => folder.at(name)).toThrow();
    await folder.sync();
    folder.close();
    expect(await codeOf(openFolder(ws.root, 'none'))).toBe('NOT_FOUND');
    expect(await codeOf(openFolder(ws.root, 'src/a.txt'))).toBe('PATH_DENIED');
  });

  it('answers FILE_CHANGED when another file took its place', async () => {
    await using ws = await workspace({ 'a.txt': 'one', 'b.txt': 'two' });
    const located = await resolveInside(ws.root, 'a.txt');
    renameSync(ws.path('b.txt'), ws.path('a.txt'));
    expect(await codeOf(openRegular(ws.root, located))).toBe('FILE_CHANGED');
    const again = await resolveInside(ws.root, 'a.txt');
    rmSync(ws.path('a.txt'));
    expect(await codeOf(openRegular(ws.root, again))).toBe('FILE_CHANGED');
  });

  it('S08 refuses a file with a second hard link, whose bytes may be someone else’s', async () => {
    await using ws = await workspace({});
    writeFileSync(`${ws.outside}/secret`, 'CANARY');
    linkSync(`${ws.outside}/secret`, ws.path('a.txt'));
    expect(readFileSync(ws.path('a.txt'), 'utf8')).toBe('CANARY');
    expect(await codeOf(read(ws, 'a.txt'))).toBe('PATH_DENIED');
  });

  it('S08 never waits for a pipe, neither at the look nor at the opening', async () => {
    await using ws = await workspace({ 'a.txt': 'mine' });
    execFileSync('mkfifo', [ws.path('pipe')]);
    expect(await codeOf(read(ws, 'pipe'))).toBe('PATH_DENIED');
    const located = await resolveInside(ws.root, 'a.txt');
    renameSync(ws.path('pipe'), ws.path('a.txt'));
    expect(await codeOf(openRegular(ws.root, located))).toBe('PATH_DENIED');
  });

  it('answers FILE_CHANGED when the file is written to while it is read', async () => {
    await using ws = await workspace({ 'a.txt': 'mine' });
    const file = await openRegular(ws.root, await resolveInside(ws.root, 'a.txt'));
    appendFileSync(ws.path('a.txt'), ' and more');
    expect(await codeOf(readWhole(file))).toBe('FILE_CHANGED');
    expect(await codeOf(hashFile(file))).toBe('FILE_CHANGED');
    file.close();
  });

  it('tells a missing file and a folder apart from a file', async () => {
    await using ws = await workspace({ 'src/a.txt': '' });
    expect(await codeOf(read(ws, 'none'))).toBe('NOT_FOUND');
    expect(await codeOf(read(ws, 'src'))).toBe('PATH_DENIED');
    expect(await read(ws, 'src/a.txt')).toBe('');
  });
});
