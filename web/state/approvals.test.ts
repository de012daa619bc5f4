// One answer to one request: the first wins, the other device is told whose it was, and a note survives until it is sent.
import { describe, expect, it } from 'vitest';
import type { Approval } from '#shared/contracts/approvals.ts';
import type { Connect } from '../link/client.ts';
import { Refused } from '../link/problem.ts';
import { Approvals } from './approvals.svelte.ts';
import { Clock } from './clock.svelte.ts';
import { Drafts } from './drafts.ts';

const NOW = 1_000_000;
const hash = 'a'.repeat(64);

const approval = (approvalId: string, over: Partial<Approval> = {}): Approval => ({
  approvalId,
  status: 'pending',
  projectId: null,
  caller: { kind: 'client', name: 'Codex' },
  operation: 'edit_file',
  summary: '',
  arguments: '{}',
  argumentsHash: hash,
  reasons: [],
  files: [],
  createdAt: NOW - 1000,
  expiresAt: NOW + 60_000,
  decidedAt: null,
  decidedBy: null,
  note: null,
  ...over,
});

/** A bridge where the first answer wins, as the contract says. */
function world(list: Approval[]) {
  const sent: Record<string, unknown>[] = [];
  const client = {
    approval_list: async () => ({ approvals: list.map((one) => ({ ...one })), now: NOW }),
    approval_decide: async (input: { approvalId: string; decision: string; note?: string }) => {
      sent.push(input);
      const found = list.find((one) => one.approvalId === input.approvalId) as Approval;
      if (found.status !== 'pending') throw new Refused({ code: 'CONFLICT', message: 'Answered already.', retryable: false });
      Object.assign(found, { status: input.decision === 'approve' ? 'approved' : 'denied', decidedBy: 'me', decidedAt: NOW });
      return { approval: found };
    },
  };
  const clock = Object.assign(new Clock(), { nowMs: NOW });
  return { sent, list, approvals: new Approvals((() => client) as unknown as Connect, clock, new Drafts(null)) };
}

describe('Approvals', () => {
  it('lists what waits, oldest first, without what ran out by the bridge’s clock', async () => {
    const { approvals } = world([
      approval('new', { createdAt: NOW - 10 }),
      approval('old', { createdAt: NOW - 500 }),
      approval('late', { expiresAt: NOW - 1 }),
      approval('done', { status: 'denied' }),
    ]);
    await approvals.list.refresh();
    expect(approvals.pending.map((one) => one.approvalId)).toEqual(['old', 'new']);
  });

  it('lists what is over, the latest first: by its answer, or by when it ran out', async () => {
    const { approvals } = world([
      approval('denied', { status: 'denied', decidedAt: NOW - 500 }),
      approval('waiting'),
      approval('late', { expiresAt: NOW - 100 }),
      approval('allowed', { status: 'approved', decidedAt: NOW - 10 }),
    ]);
    await approvals.list.refresh();
    expect(approvals.answered.map((one) => one.approvalId)).toEqual(['allowed', 'late', 'denied']);
  });

  it('S19 answers with the hash of the words that were on the screen, and sends a note only with a denial', async () => {
    const { approvals, sent } = world([approval('a'), approval('b')]);
    approvals.decision('a').note = ' not now ';
    expect(await approvals.decide(approval('a'), 'deny')).toBe('mine');
    approvals.decision('b').note = 'kept back';
    await approvals.decide(approval('b'), 'approve');
    expect(sent).toEqual([
      { approvalId: 'a', argumentsHash: hash, decision: 'deny', note: 'not now' },
      { approvalId: 'b', argumentsHash: hash, decision: 'approve' },
    ]);
    expect(approvals.decision('a').note).toBe('');
  });

  it('B40 tells the slower of two devices whose answer stands', async () => {
    const shared = world([approval('a')]);
    await shared.approvals.list.refresh();
    Object.assign(shared.list[0] as Approval, { status: 'denied', decidedBy: 'Firefox on Android', decidedAt: NOW });
    expect(await shared.approvals.decide(approval('a'), 'approve')).toBe('beaten');
    expect(shared.approvals.decision('a').wasBeaten).toBe(true);
    expect(shared.approvals.find('a')).toMatchObject({ status: 'denied', decidedBy: 'Firefox on Android' });
  });

  it('does not take a request that ran out for a quicker device', async () => {
    const { approvals, list } = world([approval('a')]);
    Object.assign(list[0] as Approval, { status: 'expired' });
    expect(await approvals.decide(approval('a'), 'approve')).toBe('failed');
  });

  it('S19 raises the alarm over a flood', async () => {
    const { approvals } = world(Array.from({ length: 12 }, (_, index) => approval(String(index))));
    await approvals.list.refresh();
    expect(approvals.flood).toBe(12);
  });
});
