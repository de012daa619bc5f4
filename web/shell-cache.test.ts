// B34: after an upgrade nobody is served a page in place of a script, and nothing of the bridge's own routes is kept.
import { describe, expect, it } from 'vitest';
import { outdated, sourceOf, type Shell } from './shell-cache.ts';

const origin = 'http://127.0.0.1:21731';
const shell: Shell = { version: 'b', files: ['/', '/assets/index-b.js', '/icon.svg'] };

describe('B34 sourceOf', () => {
  it.each([
    ['/', true, 'network-first'],
    ['/assets/index-b.js', false, 'cache-first'],
    ['/icon.svg', false, 'cache-first'],
    ['/assets/index-a.js', false, 'untouched'],
    ['/assets/none.js', false, 'untouched'],
    ['/assets/none.js', true, 'untouched'],
    ['/', false, 'untouched'],
    ['/api/session', false, 'untouched'],
    ['/api/call/event_list', false, 'untouched'],
  ] as const)('%s, navigation %s: %s', (path, isNavigation, expected) => {
    expect(sourceOf({ method: 'GET', url: origin + path, isNavigation }, origin, shell)).toBe(expected);
  });

  it('leaves alone what is not a reading of this origin', () => {
    expect(sourceOf({ method: 'POST', url: `${origin}/`, isNavigation: true }, origin, shell)).toBe('untouched');
    expect(sourceOf({ method: 'GET', url: 'https://elsewhere.example/assets/index-b.js', isNavigation: false }, origin, shell)).toBe(
      'untouched',
    );
  });
});

describe('outdated', () => {
  it('names the caches of other builds, and none that is not ours', () => {
    expect(outdated(['shell-a', 'shell-b', 'someone-else'], shell)).toEqual(['shell-a']);
  });
});
