// Containment: what is inside the root is found, what is not is refused, and a refusal says nothing of the other side.
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { workspace } from '../../testing/workspace.ts';
import { insideRoot, resolveInside, underRoot } from './root.ts';

const refused = async (promise: Promise<unknown>, outside: string) => {
  const error = await promise.then(
    () => null,
    (cause: unknown) => cause as { code: string; message: string },
  );
  expect(error?.code).toBe('PATH_DENIED');
  expect(error?.message).not.toContain(outside);
};

describe('resolveInside', () => {
  it('finds files, folders and what is not there yet', async () => {
    await using ws = await workspace({ 'src/a.ts': 'a' });
    expect(await resolveInside(ws.root, 'src/a.ts')).toMatchObject({ relative: 'src/a.ts', kind: 'file', viaLink: false });
    expect(await resolveInside(ws.root, './src//')).toMatchObject({ relative: 'src', kind: 'directory' });
    expect(await resolveInside(ws.root, '.')).toMatchObject({ relative: '.', kind: 'directory', absolute: ws.root });
    expect(await resolveInside(ws.root, 'new/deep/file')).toMatchObject({ relative: 'new/deep/file', kind: 'absent', stats: null });
  });

  it('S07 B01 compares whole names: a sibling that shares the prefix is outside', async () => {
    expect(insideRoot('/x/proj', '/x/proj_secret/s')).toBeNull();
    expect(insideRoot('/x/proj', '/x/proj/s')).toBe('s');
    expect(insideRoot('/x/proj', '/x/proj')).toBe('.');
    await using ws = await workspace({ a: '' });
    mkdirSync(`${ws.root}_secret`);
    writeFileSync(`${ws.root}_secret/s`, 'k');
    symlinkSync(`${ws.root}_secret`, ws.path('link'));
    await refused(resolveInside(ws.root, 'link/s'), '_secret');
    for (const path of ['../proj_secret/s', 'a/../../proj_secret/s', `${ws.root}_secret/s`, 'a\0'])
      await refused(resolveInside(ws.root, path), ws.root);
  });

  it('B01 works for a root with a trailing slash and for the root of the disk', async () => {
    await using ws = await workspace({ 'src/a.ts': 'a' });
    expect(await resolveInside(`${ws.root}/`, 'src/a.ts')).toMatchObject({ kind: 'file', absolute: `${ws.root}/src/a.ts` });
    const fromDisk = `${ws.root.slice(1)}/src/a.ts`;
    expect(await resolveInside('/', fromDisk)).toMatchObject({ kind: 'file', relative: fromDisk });
    expect(insideRoot('/', '/etc')).toBe('etc');
    expect(underRoot('/', '.')).toBe('/');
    expect(underRoot(`${ws.root}/`, 'a/b')).toBe(`${ws.root}/a/b`);
  });

  it('B02 follows a link inside the root and names what it leads to', async () => {
    await using ws = await workspace({ 'src/a.ts': 'a' });
    symlinkSync('src', ws.path('alias'));
    symlinkSync(ws.path('src/a.ts'), ws.path('absolute.ts'));
    symlinkSync('alias/a.ts', ws.path('twice.ts'));
    for (const path of ['alias/a.ts', 'absolute.ts', 'twice.ts'])
      expect(await resolveInside(ws.root, path)).toMatchObject({ relative: 'src/a.ts', kind: 'file', viaLink: true });
    expect(await resolveInside(ws.root, 'alias/new.ts')).toMatchObject({ relative: 'src/new.ts', kind: 'absent', viaLink: true });
  });

  it('B02 S07 refuses links that leave the root, lead nowhere or go round', async () => {
    await using ws = await workspace({ 'a.ts': '' });
    writeFileSync(`${ws.outside}/secret`, 'k');
    symlinkSync(ws.outside, ws.path('link'));
    symlinkSync(`${ws.outside}/new.txt`, ws.path('dangling'));
    symlinkSync('loop', ws.path('loop'));
    symlinkSync('missing', ws.path('missing-inside'));
    for (const path of ['link', 'link/secret', 'link/a.txt', 'link/d/e', 'dangling', 'loop', 'missing-inside', 'a.ts/b'])
      await refused(resolveInside(ws.root, path), ws.outside);
  });

  it('refuses a root that is no longer a real directory', async () => {
    await using ws = await workspace({ a: '' });
    renameSync(ws.root, `${ws.root}-moved`);
    await refused(resolveInside(ws.root, 'a'), ws.outside);
    symlinkSync(`${ws.root}-moved`, ws.root);
    await refused(resolveInside(ws.root, 'a'), ws.outside);
    await refused(resolveInside(`${ws.root}/`, 'a'), ws.outside);
  });

  it('refuses a name that is too long for the disk', async () => {
    await using ws = await workspace({});
    await refused(resolveInside(ws.root, 'x'.repeat(256)), ws.root);
    expect((await resolveInside(ws.root, 'x'.repeat(255))).kind).toBe('absent');
  });
});
