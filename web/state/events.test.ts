// Resuming over a link that drops, repeats and loses: the console ends with the account, each line once.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { testAccount, type TestAccount } from './test-account.ts';
import { Events } from './events.svelte.ts';

const settle = () => new Promise((resolve) => setTimeout(resolve, 60));
const positions = (events: Events) => events.recent.map((event) => event.position);
const newest = (account: TestAccount) =>
  account.events
    .map((event) => event.position)
    .reverse()
    .slice(0, 200);

/** The head is all that tells of a last line that was lost. */
const lastLineLost = [
  { burst: 33, lost: [], repeats: false },
  { burst: 4, lost: [67], repeats: false },
];

/** What the bridge does when a console opens the stream at a position. */
function hello(account: TestAccount, events: Events, isLost: (position: number) => boolean = () => false): void {
  const { after } = events.cursor();
  const head = account.events.length;
  events.receive({ type: 'hello', epoch: 'ep_1', head, version: '0', now: 0, gap: after > head });
  for (const event of account.events.slice(after)) if (!isLost(event.position)) events.receive({ type: 'event', event });
}

describe('Events', () => {
  it('shows every line once after any sequence of bursts, losses, repeats and new links', async () => {
    const step = fc.record({
      burst: fc.integer({ min: 0, max: 90 }),
      lost: fc.array(fc.integer({ min: 1, max: 400 })),
      repeats: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const account = testAccount();
        account.append(30);
        const events = new Events(account.connect);
        await events.begin();
        for (const { burst, lost, repeats } of steps) {
          const fresh = account.append(burst);
          if (repeats) for (const event of account.events.slice(-5)) events.receive({ type: 'event', event });
          hello(account, events, (position) => lost.includes(position));
          if (repeats) for (const event of fresh) events.receive({ type: 'event', event });
          await settle();
        }
        expect(positions(events)).toEqual(newest(account));
        expect(events.head).toBe(account.events.length);
      }),
      { numRuns: 25, examples: [[lastLineLost]] },
    );
  });

  it('tells its listeners of each new line once', async () => {
    const account = testAccount();
    const events = new Events(account.connect);
    await events.begin();
    const heard: number[] = [];
    events.onNew((batch) => heard.push(...batch.map((event) => event.position)));
    const fresh = account.append(3);
    for (const event of [...fresh, ...fresh]) events.receive({ type: 'event', event });
    await settle();
    expect(heard).toEqual([1, 2, 3]);
  });

  it('goes on where the link ended, and hears once of a line that the head promised', async () => {
    const account = testAccount();
    account.append(5);
    const events = new Events(account.connect);
    await events.begin();
    const heard: number[] = [];
    events.onNew((batch) => heard.push(...batch.map((event) => event.position)));
    account.append(3);
    hello(account, events, (position) => position === 8);
    await settle();
    expect([events.cursor().after, events.head, heard]).toEqual([7, 8, [6, 7, 8]]);
    hello(account, events);
    await settle();
    expect([events.cursor().after, heard]).toEqual([8, [6, 7, 8]]);
  });

  it('forgets the lines of an account that was replaced by a longer one', async () => {
    const account = testAccount();
    account.append(50);
    const events = new Events(account.connect);
    await events.begin();
    account.append(40);
    account.events = account.events.map((event) => ({ ...event, hash: `other${event.position}` }));
    events.receive({ type: 'hello', epoch: 'ep_2', head: 90, version: '0', now: 0, gap: true });
    await settle();
    expect([events.hasGap, events.head]).toEqual([true, 90]);
    expect(events.recent.map((event) => event.hash)).toEqual(account.events.map((event) => event.hash).reverse());
  });

  it('says a gap and starts from what the bridge has', async () => {
    const account = testAccount();
    account.append(50);
    const events = new Events(account.connect);
    await events.begin();
    account.events.length = 10;
    hello(account, events);
    await settle();
    expect([events.hasGap, events.head, positions(events)]).toEqual([true, 10, newest(account)]);
  });

  it('fetches only what a view shows, and says when the bridge does not answer', async () => {
    const account = testAccount();
    account.append(5000);
    const events = new Events(account.connect);
    await events.begin();
    account.asked = 0;
    events.want({ from: 1000, to: 1040 });
    await settle();
    expect([events.at(1000)?.position, events.at(1040)?.position, account.asked]).toEqual([1000, 1040, 2]);
    account.failures = 1;
    events.want({ from: 2000, to: 2040 });
    await settle();
    expect(events.problem).toEqual({ kind: 'lost' });
    events.want({ from: 2000, to: 2040 });
    await settle();
    expect([events.problem, events.at(2000)?.position]).toEqual([null, 2000]);
  });

  it('does not ask for ever for a line that the bridge does not have', async () => {
    const account = testAccount();
    account.append(40);
    account.events.splice(20, 1);
    const events = new Events(account.connect);
    await events.begin();
    events.want({ from: 1, to: 40 });
    await settle();
    expect(account.asked).toBeLessThan(10);
  });
});
