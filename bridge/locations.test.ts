// The state folder is private, and nothing else becomes so by being named as one.
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fatal } from './failed.ts';
import { locationsOf, makeHome } from './locations.ts';

let base: string;
beforeEach(() => void (base = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-home-')))));
afterEach(() => rmSync(base, { recursive: true, force: true }));

const modeOf = (path: string): number => statSync(path).mode & 0o777;
const at = (name: string) => locationsOf(join(base, name), base);

describe('state folder', () => {
  it('S05 is made for this account only, with the folders on its way', () => {
    makeHome(at('a/b'));
    expect([modeOf(join(base, 'a')), modeOf(join(base, 'a/b'))]).toEqual([0o700, 0o700]);
    makeHome(at('a/b'));
  });

  it('S05 is narrowed when it is empty or ours', () => {
    for (const name of ['empty', 'ours']) {
      mkdirSync(join(base, name));
      chmodSync(join(base, name), 0o755);
    }
    writeFileSync(at('ours').database, '');
    makeHome(at('empty'));
    makeHome(at('ours'));
    expect([modeOf(join(base, 'empty')), modeOf(join(base, 'ours'))]).toEqual([0o700, 0o700]);
  });

  it('is refused, and left as it is, when it holds other things that others may read', () => {
    const folder = join(base, 'home');
    mkdirSync(folder);
    writeFileSync(join(folder, 'thesis.txt'), '');
    chmodSync(folder, 0o755);
    expect(() => makeHome(at('home'))).toThrow(Fatal);
    expect(modeOf(folder)).toBe(0o755);
    chmodSync(folder, 0o700);
    makeHome(at('home'));
  });
});
