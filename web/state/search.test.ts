// A search through the whole account: complete, in bounded steps, and open to lines that arrive meanwhile.
import { describe, expect, it } from 'vitest';
import type { BridgeEvent } from '#shared/events.ts';
import { testAccount } from './test-account.ts';
import { Search } from './search.svelte.ts';

const wanted = (text: string) => ({ text, projectId: '', show: 'all' as const });
const found = (search: Search) => search.found.map((event) => event.position);
const done = async (search: Search) => {
  while (search.isScanning) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('Search', () => {
  it('finds every match of 30,000 lines, newest first, pausing on the way', async () => {
    const account = testAccount();
    account.append(30_000, (position) => ({ brief: position % 7000 === 1 ? 'needle' : 'hay' }));
    const search = new Search(account.connect);
    search.begin(wanted('needle'), 30_000);
    await done(search);
    expect([search.isDone, search.scanned, found(search)]).toEqual([false, 20_000, [28_001, 21_001, 14_001]]);
    await search.more();
    expect([search.isDone, search.scanned, found(search)]).toEqual([true, 30_000, [28_001, 21_001, 14_001, 7001, 1]]);
  });

  it('takes in new lines once, on top', async () => {
    const account = testAccount();
    account.append(3, () => ({ brief: 'needle' }));
    const search = new Search(account.connect);
    search.begin(wanted('needle'), 3);
    await done(search);
    const [late, ...fresh] = account.append(3, () => ({ brief: 'needle' })) as [BridgeEvent, ...BridgeEvent[]];
    search.add(fresh);
    search.add(fresh);
    search.add([late]);
    expect(found(search)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it('drops the answer to a search that was replaced', async () => {
    const account = testAccount();
    account.append(10, (position) => ({ brief: `line${position}` }));
    const search = new Search(account.connect);
    search.begin(wanted('line3'), 10);
    search.begin(wanted('line4'), 10);
    await done(search);
    expect(found(search)).toEqual([4]);
  });

  it('says that the bridge did not answer, and goes on from there', async () => {
    const account = testAccount();
    account.append(600, (position) => ({ brief: position === 1 ? 'needle' : '' }));
    account.failures = 1;
    const search = new Search(account.connect);
    search.begin(wanted('needle'), 600);
    await done(search);
    expect([search.problem, found(search)]).toEqual([{ kind: 'lost' }, []]);
    await search.more();
    expect(found(search)).toEqual([1]);
  });
});
