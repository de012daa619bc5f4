// The account of events: gapless, chained, and telling when it was tampered with.
import { describe, expect, it } from 'vitest';
import { testState } from '../../testing/state.ts';
import { createEvents } from './service.ts';

const sample = (body: Record<string, unknown> = {}) => ({ session: 's1', kind: 'call' as const, projectId: null, body });

describe('events', () => {
  it('numbers positions without a gap and sequences per session', () => {
    using state = testState();
    const events = createEvents(state);
    events.append(sample());
    events.append({ ...sample(), session: 's2' });
    events.append(sample());
    expect(events.list({ after: 0, limit: 10 }).map(({ position, session, sequence }) => [position, session, sequence])).toEqual([
      [1, 's1', 1],
      [2, 's2', 1],
      [3, 's1', 2],
    ]);
  });

  it('goes on after a restart under another generation and keeps the chain whole', () => {
    using state = testState();
    const before = createEvents(state);
    before.append(sample());
    const after = createEvents(state);
    after.append(sample());
    expect(after.epoch).not.toBe(before.epoch);
    expect(after.list({ after: 0, limit: 9 }).map((event) => event.generation)).toEqual([before.epoch, after.epoch]);
    expect(after.verify()).toMatchObject({ intact: true, checked: 2 });
  });

  it.each([
    ['a changed body', 'UPDATE events SET body = \'{"x":9}\' WHERE position = 2', 2],
    ['a removed row', 'DELETE FROM events WHERE position = 2', 3],
    ['a changed time', 'UPDATE events SET at = at + 1 WHERE position = 1', 1],
  ])('O19 the chain names %s', (_what, sql, position) => {
    using state = testState();
    const events = createEvents(state);
    for (const x of [1, 2, 3]) events.append(sample({ x }));
    const head = events.verify().head;
    expect(events.verify(head)).toMatchObject({ intact: true, containsKnown: true });
    state.store.exec(sql);
    expect(events.verify(head)).toMatchObject({ intact: false, brokenAt: position });
  });

  it('O19 a rewritten history with a sound chain no longer contains the head a reader knew', () => {
    using state = testState();
    const events = createEvents(state);
    for (const x of [1, 2]) events.append(sample({ x }));
    const known = events.verify().head;
    state.store.exec('DELETE FROM events');
    const forged = createEvents(state);
    for (const x of [1, 3]) forged.append(sample({ x }));
    expect(forged.verify(known)).toMatchObject({ intact: true, containsKnown: false });
  });

  it('tells subscribers after the commit, in order, and never of a row that was rolled back', async () => {
    using state = testState();
    const events = createEvents(state);
    const heard: number[] = [];
    events.subscribe((event) => heard.push(event.body['x'] as number));
    const failing = state.store.transaction(() => {
      events.append(sample({ x: 1 }));
      throw new Error('rolled back');
    });
    expect(failing).toThrow('rolled back');
    events.append(sample({ x: 2 }));
    events.append(sample({ x: 3 }));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    expect(heard).toEqual([2, 3]);
    expect(events.verify().intact).toBe(true);
  });

  it('says a gap to a reader that saw more than there is', () => {
    using state = testState();
    const events = createEvents(state);
    events.append(sample());
    expect([events.hasGap(0), events.hasGap(1), events.hasGap(2)]).toEqual([false, false, true]);
  });

  it('says a gap to a reader of another log, however long this one is', () => {
    using state = testState();
    const [first, second] = [createEvents(state), createEvents(state)];
    for (const events of [first, first, second, second]) events.append(sample());
    const third = createEvents(state);
    third.append(sample());
    const gaps = (epoch: string) => [1, 2, 3, 4, 5].map((after) => third.hasGap(after, epoch));
    expect(third.hasGap(0, 'ep_elsewhere')).toBe(false);
    expect(gaps('ep_elsewhere')).toEqual([true, true, true, true, true]);
    expect(gaps(third.epoch)).toEqual([false, false, false, false, false]);
    // A copy from before the reader's last lines went on under another process: they are not the reader's.
    expect(gaps(first.epoch)).toEqual([false, false, true, true, true]);
    expect(gaps(second.epoch)).toEqual([false, false, false, false, true]);
  });
});
