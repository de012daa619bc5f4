// A bridge's account in memory, for tests of what reads it: it answers as the contract says, and pushes as the stream does.
import type { BridgeEvent } from '#shared/events.ts';
import type { Connect } from '../link/client.ts';
import { LinkLost } from '../link/problem.ts';

export interface TestAccount {
  events: BridgeEvent[];
  /** Calls that fail before the next one works. */
  failures: number;
  /** How many lists were asked for. */
  asked: number;
  append(count: number, body?: (position: number) => Record<string, unknown>): BridgeEvent[];
  connect: Connect;
}

export function testAccount(): TestAccount {
  const account: TestAccount = {
    events: [],
    failures: 0,
    asked: 0,
    append(count, body = () => ({})) {
      const first = account.events.length + 1;
      const fresh = Array.from({ length: count }, (_, step) => lineAt(first + step, body(first + step)));
      account.events.push(...fresh);
      return fresh;
    },
    connect: () => client as unknown as ReturnType<Connect>,
  };
  const client = {
    async event_list({ after, before, limit }: { after?: number; before?: number; limit: number }) {
      account.asked += 1;
      if (account.failures > 0) {
        account.failures -= 1;
        throw new LinkLost(new TypeError('no network'));
      }
      const oldestFirst = account.events.slice(after ?? 0);
      const newestFirst = account.events.slice(0, before === undefined ? undefined : before - 1).reverse();
      const events = (after === undefined ? newestFirst : oldestFirst).slice(0, limit);
      return { events, head: account.events.length, epoch: 'ep_1', gap: (after ?? 0) > account.events.length };
    },
  };
  return account;
}

function lineAt(position: number, body: Record<string, unknown>): BridgeEvent {
  const place = { position, session: 's', generation: 'ep_1', sequence: position, projectId: null, run: null, at: position };
  return {
    ...place,
    kind: 'call',
    body: { operation: 'read_files', caller: { kind: 'client', name: 'C', principal: 'p' }, ...body },
    hash: `h${position}`,
  };
}
