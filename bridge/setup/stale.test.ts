// A clone is installed and built exactly when what it was made from is what lies there now.
import { mkdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/folder.ts';
import { isBuilt, isInstalled, rememberBuilt, rememberInstalled } from './stale.mjs';

let root: string;
beforeEach(() => void (root = temporaryFolder('setup')));

function write(path: string, text = ''): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
const ageBy = (path: string, seconds: number) => utimesSync(join(root, path), Date.now() / 1000 - seconds, Date.now() / 1000 - seconds);

describe('isInstalled', () => {
  beforeEach(() => write('package-lock.json', '{"lockfileVersion":3}'));

  it('needs a whole installation: npm writes its own lock last', () => {
    expect(isInstalled(root)).toBe(false);
    write('node_modules/some-package/index.js');
    expect(isInstalled(root)).toBe(false);
    rememberInstalled(root);
    expect(isInstalled(root)).toBe(false);
    write('node_modules/.package-lock.json');
    expect(isInstalled(root)).toBe(true);
  });

  it('goes by the bytes of the lock where we installed, whatever its time', () => {
    write('node_modules/.package-lock.json');
    rememberInstalled(root);
    ageBy('package-lock.json', -60);
    expect(isInstalled(root)).toBe(true);
    write('package-lock.json', '{"lockfileVersion":4}');
    ageBy('package-lock.json', 60);
    expect(isInstalled(root)).toBe(false);
  });

  it('goes by the time of the lock where someone else installed', () => {
    write('node_modules/.package-lock.json');
    ageBy('package-lock.json', 60);
    expect(isInstalled(root)).toBe(true);
    ageBy('package-lock.json', -60);
    expect(isInstalled(root)).toBe(false);
  });

  it('is over with another Node, whose native modules are others', () => {
    write('node_modules/.package-lock.json');
    rememberInstalled(root);
    write('node_modules/.drawbridge-stamp', 'x 1 linux x64');
    expect(isInstalled(root)).toBe(false);
  });
});

describe('isBuilt', () => {
  const build = { name: 'web', sources: ['web', 'vite.config.ts'], result: 'dist/web/index.html' };
  beforeEach(() => {
    for (const path of ['web/main.ts', 'web/views/a.svelte', 'vite.config.ts', 'dist/web/index.html']) write(path, 'x');
    rememberBuilt(root, build);
  });

  it('holds while nothing changed, and tests are no sources', () => {
    expect(isBuilt(root, build)).toBe(true);
    write('web/main.test.ts', 'y');
    write('bridge/main.ts', 'y');
    expect(isBuilt(root, build)).toBe(true);
  });

  it.each([
    ['a source was changed', () => write('web/views/a.svelte', 'longer')],
    ['a source was changed to as many bytes', () => ageBy('web/main.ts', 60)],
    ['a source was added', () => write('web/b.ts')],
    ['a source was removed', () => rmSync(join(root, 'web/main.ts'))],
    ['the set-up of the build was changed', () => write('vite.config.ts', 'longer')],
    ['its result is gone', () => rmSync(join(root, 'dist/web'), { recursive: true })],
    ['what it was made from is not known', () => rmSync(join(root, 'dist/.web-stamp'))],
  ])('is over when %s', (_what, change) => {
    change();
    expect(isBuilt(root, build)).toBe(false);
    write('dist/web/index.html', 'x');
    rememberBuilt(root, build);
    expect(isBuilt(root, build)).toBe(true);
  });
});
