// Resuming after a lost link: whatever the wire drops, repeats or reorders, each line is there once and none is missing.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BridgeEvent } from '#shared/events.ts';
import { Ledger, PAGE_SIZE } from './ledger.ts';

const event = (position: number): BridgeEvent => ({
  position,
  session: 's',
  generation: 'g',
  sequence: position,
  kind: 'call',
  projectId: null,
  run: null,
  at: position,
  body: {},
  hash: String(position),
});

/** What a view does: ask for the first hole until there is none. */
function fill(ledger: Ledger, from: number, to: number): number {
  let requests = 0;
  for (let hole = ledger.hole(from, to); hole !== null; hole = ledger.hole(from, to)) {
    for (let step = 1; step <= hole.limit; step += 1) ledger.add(event(hole.after + step));
    requests += 1;
  }
  return requests;
}

describe('Ledger', () => {
  it('ends with every line exactly once, for any delivery with losses, repeats and several links', () => {
    const delivery = fc.array(fc.integer({ min: 1, max: 700 }), { maxLength: 400 });
    fc.assert(
      fc.property(delivery, fc.integer({ min: 1, max: 700 }), (positions, head) => {
        const ledger = new Ledger();
        const fresh = positions.filter((position) => ledger.add(event(position)));
        expect(fresh.length).toBe(new Set(positions).size);
        ledger.head = Math.max(ledger.head, head);
        fill(ledger, 1, ledger.head);
        const all = Array.from({ length: ledger.head }, (_, index) => ledger.at(index + 1)?.position);
        expect(all).toEqual(Array.from({ length: ledger.head }, (_, index) => index + 1));
      }),
    );
  });

  it('says that a repeated line is not new', () => {
    const ledger = new Ledger();
    expect([ledger.add(event(3)), ledger.add(event(3))]).toEqual([true, false]);
  });

  it('asks for no more than a page at once and for nothing it has', () => {
    const ledger = new Ledger();
    ledger.add(event(1000));
    expect(ledger.hole(1, 1000)).toEqual({ after: 0, limit: PAGE_SIZE });
    fill(ledger, 401, 600);
    expect(ledger.hole(401, 600)).toBeNull();
    expect(ledger.hole(390, 600)).toEqual({ after: 389, limit: 11 });
  });

  it('stops the newest lines at a hole instead of closing it silently', () => {
    const ledger = new Ledger();
    [5, 6, 8, 9].forEach((position) => ledger.add(event(position)));
    expect(ledger.newest(10).map((line) => line.position)).toEqual([9, 8]);
  });

  it('keeps a bounded part of 100,000 lines and can fetch the rest again', () => {
    const ledger = new Ledger();
    ledger.head = 100_000;
    for (let from = 1; from < 100_000; from += PAGE_SIZE) fill(ledger, from, from + PAGE_SIZE - 1);
    const held = Array.from({ length: 100_000 }, (_, index) => ledger.at(index + 1)).filter((line) => line !== undefined).length;
    expect(held).toBeLessThanOrEqual(60 * PAGE_SIZE);
    expect(fill(ledger, 1, 50)).toBe(1);
    expect(ledger.at(50)?.position).toBe(50);
  });

  it('forgets all lines when the account is another one', () => {
    const ledger = new Ledger();
    ledger.add(event(9));
    ledger.clear(4);
    expect([ledger.head, ledger.at(9), ledger.newest(5)]).toEqual([4, undefined, []]);
  });
});
