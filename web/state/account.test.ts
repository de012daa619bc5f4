// What a browser saw of the account outlives a reload, and an account that no longer contains it raises an alarm that stands.
import { describe, expect, it } from 'vitest';
import type { BridgeEvent } from '#shared/events.ts';
import type { Connect } from '../link/client.ts';
import { Account } from './account.svelte.ts';

interface Asked {
  knownPosition?: number;
  knownHash?: string;
}

/** A bridge whose account is this list of hashes. */
function bridgeOf(hashes: string[], brokenAt: number | null = null) {
  const asked: Asked[] = [];
  const client = {
    async event_verify(input: Asked) {
      asked.push(input);
      const containsKnown = input.knownPosition === undefined ? null : hashes[input.knownPosition - 1] === input.knownHash;
      const head = { position: hashes.length, hash: hashes.at(-1) ?? '' };
      return { intact: brokenAt === null, checked: hashes.length, brokenAt, head, containsKnown };
    },
  };
  return { asked, connect: (() => client) as unknown as Connect };
}

function storage(): Storage {
  const kept: Record<string, string> = {};
  const methods = {
    getItem: (key: string) => kept[key] ?? null,
    setItem: (key: string, value: string) => void (kept[key] = value),
    removeItem: (key: string) => void delete kept[key],
  };
  return methods as unknown as Storage;
}

async function visit(store: Storage | null, bridge: ReturnType<typeof bridgeOf>, home = '/home'): Promise<Account> {
  const account = new Account(bridge.connect, store);
  account.belongsTo(home);
  await account.verify();
  return account;
}

describe('Account', () => {
  it('remembers the head it saw and asks for it at the next visit', async () => {
    const store = storage();
    await visit(store, bridgeOf(['a', 'b']));
    const later = bridgeOf(['a', 'b', 'c']);
    const account = await visit(store, later);
    expect(later.asked).toEqual([{ knownPosition: 2, knownHash: 'b' }]);
    expect([account.alarm, account.verdict?.containsKnown]).toEqual([null, true]);
  });

  it('raises an alarm over a rewritten history, and keeps it over a reload until the owner accepts', async () => {
    const store = storage();
    await visit(store, bridgeOf(['a', 'b']));
    const forged = bridgeOf(['a', 'x', 'y']);
    expect((await visit(store, forged)).alarm?.missing).toMatchObject({ position: 2, hash: 'b' });
    const again = await visit(store, forged);
    expect(again.alarm?.missing).toMatchObject({ position: 2, hash: 'b' });
    again.accept({ position: 3, hash: 'y' } as BridgeEvent);
    expect((await visit(store, forged)).alarm).toBeNull();
  });

  it('raises an alarm over a broken chain on a first visit too', async () => {
    const account = await visit(storage(), bridgeOf(['a', 'b'], 2));
    expect(account.alarm).toEqual({ brokenAt: 2, missing: null });
  });

  it('keeps the accounts of two state folders at one address apart', async () => {
    const store = storage();
    await visit(store, bridgeOf(['a', 'b']), '/one');
    expect((await visit(store, bridgeOf(['z']), '/two')).alarm).toBeNull();
    expect((await visit(store, bridgeOf(['a', 'b']), '/one')).alarm).toBeNull();
  });

  it('works without storage, and forgets then', async () => {
    const bridge = bridgeOf(['a']);
    await visit(null, bridge);
    await visit(null, bridge);
    expect(bridge.asked).toEqual([{}, {}]);
  });
});
