// A list of 100,000 rows draws a screenful, and the keys reach every row of it.
import { describe, expect, it } from 'vitest';
import { Rows } from './rows.svelte.ts';
import { target } from './walk.ts';

describe('Rows', () => {
  const rows = (count: number) => Object.assign(new Rows(() => count), { viewHeight: 760, rowHeight: 38 });

  it('draws what is in view and a little around it', () => {
    const list = Object.assign(rows(100_000), { scrollTop: 38 * 50_000 });
    expect([list.first, list.last, list.drawn.length]).toEqual([49_992, 50_028, 37]);
  });

  it('keeps the row with the focus, also far away, and never a row that is not there', () => {
    const list = Object.assign(rows(100_000), { focused: 99_999 });
    expect(list.drawn.at(-1)).toBe(99_999);
    expect(Object.assign(rows(10), { focused: 99 }).drawn).toHaveLength(10);
    expect(rows(0).drawn).toEqual([]);
  });

  it('scrolls no further than a row needs', () => {
    const list = rows(100);
    expect([list.scrollFor(3), list.scrollFor(20), list.scrollFor(99)]).toEqual([null, 38, 3040]);
    list.scrollTop = 3040;
    expect(list.scrollFor(0)).toBe(0);
  });
});

describe('walking', () => {
  it.each([
    ['ArrowDown', 0, 1],
    ['ArrowUp', 0, 0],
    ['ArrowDown', 9, 9],
    ['Home', 7, 0],
    ['End', 2, 9],
    ['PageDown', 1, 9],
    ['x', 1, null],
  ])('%s from row %i of ten', (key, from, to) => {
    expect(target(key, from, 10)).toBe(to);
  });
});
