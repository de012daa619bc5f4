// The one line about a change: files are counted as files and folders as folders.
import { describe, expect, it } from 'vitest';
import { step, summaryOf, type Step } from './step.ts';

const created = (path: string): Step => step({ action: 'create', path });
const folder = (path: string, action: 'mkdir' | 'rmdir' = 'mkdir'): Step => step({ action, path });

describe('summaryOf', () => {
  it.each<[string, Step[]]>([
    ['Nothing to change', []],
    ['Create a.txt', [created('a.txt')]],
    ['Move a.txt to b.txt', [step({ action: 'move', path: 'a.txt', destPath: 'b.txt' })]],
    ['Create x/a.txt; Make 1 folder: x', [folder('x'), created('x/a.txt')]],
    ['Create 2 files: x/a, x/b; Make 1 folder: x', [folder('x'), created('x/a'), created('x/b')]],
    ['Change 2 files: a, b', [created('a'), step({ action: 'delete', path: 'b' })]],
    ['Delete x/y/a; Remove 2 folders: x/y, x', [step({ action: 'delete', path: 'x/y/a' }), folder('x/y', 'rmdir'), folder('x', 'rmdir')]],
    ['Make 1 folder: x', [folder('x')]],
    ['Make 5 folders: a, b, c and 2 more', ['a', 'b', 'c', 'd', 'e'].map((path) => folder(path))],
    ['Remove 1 folder: x', [folder('x', 'rmdir')]],
  ])('%s', (said, steps) => {
    expect(summaryOf(steps)).toBe(said);
  });
});
