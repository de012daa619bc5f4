// Times and sizes as the owner reads them.
import { describe, expect, it } from 'vitest';
import { countdown, createFormat } from './format.ts';

const format = createFormat('en');
const now = Date.UTC(2026, 10, 30, 12, 0, 0);

describe('createFormat', () => {
  it.each([
    [0, '0 sec'],
    [41_900, '41 sec'],
    [60_000, '1 min'],
    [3 * 3_600_000 + 12 * 60_000, '3 hr 12 min'],
    [26 * 3_600_000, '1 day 2 hr'],
  ])('span of %i ms', (ms, expected) => {
    expect(format.span(ms)).toBe(expected);
  });

  it('speaks of the past and the future in each language', () => {
    expect(format.relative(now - 240_000, now)).toBe('4 min. ago');
    expect(format.relative(now + 7_200_000, now)).toBe('in 2 hr.');
    expect(createFormat('ja').relative(now - 240_000, now)).toBe('4 分前');
    expect(createFormat('th').relative(now - 240_000, now)).toBe('4 นาทีที่แล้ว');
  });

  it.each([
    [0, '0 byte'],
    [999, '999 byte'],
    [1500, '1.5 kB'],
    [2_147_483_648, '2.1 GB'],
  ])('size of %i', (count, expected) => {
    expect(format.bytes(count)).toBe(expected);
  });

  it('names the day only when it was another one', () => {
    const noon = new Date(2026, 10, 30, 12, 0, 0).getTime();
    expect(format.clock(noon, noon + 60_000)).toBe('12:00:00');
    expect(format.clock(noon - 86_400_000, noon)).toBe('Nov 29 12:00');
  });
});

describe('countdown', () => {
  it.each([
    [252_000, '4:12'],
    [251_001, '4:12'],
    [59_000, '0:59'],
    [3_852_000, '1:04:12'],
    [-5, '0:00'],
  ])('%i ms', (ms, expected) => {
    expect(countdown(ms)).toBe(expected);
  });
});
