// Which Chromium is used: one that starts, the named one first; and in which order one is got where none does.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/folder.ts';
import { candidatesOf, findOrGet, firstThatStarts, waysFor } from './chromium.mjs';

let folder: string;
beforeEach(() => void (folder = temporaryFolder('chromium')));

/** A program that says its version, or one that cannot start for want of a library. */
function program(name: string, exitCode = 0): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\necho "Chromium 1.2.3"\nexit ${exitCode}\n`, { mode: 0o755 });
  return path;
}

describe('firstThatStarts', () => {
  it('passes over what is not there, what cannot start and what was not named', () => {
    const [broken, whole, other] = [program('broken', 127), program('whole'), program('other')];
    expect(firstThatStarts([undefined, join(folder, 'none'), broken, whole, other])).toBe(whole);
    expect(firstThatStarts([undefined, broken])).toBeUndefined();
  });

  it('prefers the named one, then the system’s, then Playwright’s own', () => {
    const env = { DRAWBRIDGE_CHROMIUM: program('named'), CHROME_PATH: program('chrome') };
    const candidates = candidatesOf(env, '/own') as string[];
    expect([candidates[0], candidates[1], candidates.at(-1)]).toEqual([env.DRAWBRIDGE_CHROMIUM, env.CHROME_PATH, '/own']);
    expect(candidates.slice(2, -1)).toContain('/usr/bin/chromium');
    expect(firstThatStarts(candidates)).toBe(env.DRAWBRIDGE_CHROMIUM);
  });
});

describe('findOrGet', () => {
  /** Ways that really put a program where it is looked for; `none` brings nothing. */
  function world(brings: readonly ('none' | 'broken' | 'whole')[]) {
    const tried: number[] = [];
    const ways = brings.map((what, index) => () => {
      tried.push(index);
      if (what !== 'none') program('browser', what === 'whole' ? 0 : 127);
    });
    return { tried, found: findOrGet(async () => firstThatStarts([join(folder, 'browser')]), ways) };
  }

  it('gets none where one starts', async () => {
    const path = program('browser');
    const { tried, found } = world(['whole', 'whole']);
    expect([await found, tried]).toEqual([path, []]);
  });

  it('goes on to the next way until one brings a browser that starts', async () => {
    const { tried, found } = world(['none', 'broken', 'whole', 'whole']);
    expect([await found, tried]).toEqual([join(folder, 'browser'), [0, 1, 2]]);
  });

  it('says that there is none when every way failed', async () => {
    const { tried, found } = world(['none', 'broken']);
    expect([await found, tried]).toEqual([undefined, [0, 1]]);
  });
});

describe('waysFor', () => {
  const names = (uid: number | undefined, apt: string) => waysFor({ uid, apt }).map((way) => way.name);

  it('downloads first, and asks the package manager only as root and only where there is one', () => {
    const apt = program('apt-get');
    expect(names(0, apt)).toEqual(['fromPlaywright', 'fromApt']);
    expect(names(1000, apt)).toEqual(['fromPlaywright']);
    expect(names(undefined, apt)).toEqual(['fromPlaywright']);
    expect(names(0, join(folder, 'none'))).toEqual(['fromPlaywright']);
  });
});
