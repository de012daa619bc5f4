// Approvals: bound to exact words and bytes, single use, first answer wins, and alive across a restart.
import { describe, expect, it } from 'vitest';
import { Failed } from '../../failed.ts';
import type { Asked, Caller } from '../../operation.ts';
import { testState, type TestState } from '../../testing/state.ts';
import { createEvents } from '../events/service.ts';
import { createGrants } from '../grants/service.ts';
import { APPROVAL_TTL_MS, createApprovals, PENDING_MAX, type Approvals } from './service.ts';

const hashOf = (letter: string): string => letter.repeat(64);
const caller: Caller = { kind: 'client', principal: 'token:t1', name: 'Client', scopes: new Set(['write']), projectIds: null };
const asked: Asked = {
  summary: 'edit Makefile',
  reasons: ['Makefile runs with your rights'],
  files: [{ path: 'Makefile', beforeHash: hashOf('a'), afterHash: hashOf('b'), diff: '' }],
};
const context = { caller, project: null, session: 's', operation: 'edit_file', argumentsText: '{"a":1}', argumentsHash: hashOf('c') };

function build({ store, clock }: TestState): Approvals {
  const events = createEvents({ store, clock });
  const grants = createGrants({ store, clock, events });
  return createApprovals({ store, clock, events, grants, consoleUrl: () => 'http://127.0.0.1:1' });
}

function refusal(work: () => unknown): Failed {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Failed) return thrown;
    throw thrown;
  }
  throw new Error('It was not refused.');
}

/** Asks and answers; returns the id. */
function answered(approvals: Approvals, decision: 'approve' | 'deny', note?: string): string {
  const approvalId = refusal(() => approvals.require(context, asked)).failure.detail?.['approvalId'] as string;
  approvals.decide({ approvalId, argumentsHash: context.argumentsHash, decision, note, by: 'desk' });
  return approvalId;
}

describe('approvals', () => {
  it('B40 asks once for the same call and tells where the owner answers', () => {
    using state = testState();
    const approvals = build(state);
    const first = refusal(() => approvals.require(context, asked));
    const second = refusal(() => approvals.require(context, asked));
    expect(first.code).toBe('APPROVAL_REQUIRED');
    expect(second.failure.detail?.['approvalId']).toBe(first.failure.detail?.['approvalId']);
    expect(first.failure.recovery).toContain('#/approvals/apr_');
  });

  it('S19 an approved call goes through once and not twice', () => {
    using state = testState();
    const approvals = build(state);
    const approvalId = answered(approvals, 'approve');
    expect(approvals.require(context, asked)).toBe(approvalId);
    approvals.spend(approvalId);
    expect(refusal(() => approvals.spend(approvalId)).code).toBe('APPROVAL_EXPIRED');
    expect(refusal(() => approvals.require(context, asked)).failure.detail?.['approvalId']).not.toBe(approvalId);
  });

  it.each([
    ['other arguments', { ...context, argumentsHash: hashOf('d') }, asked],
    ['another operation', { ...context, operation: 'write_file' }, asked],
    ['another caller', { ...context, caller: { ...caller, principal: 'token:t2' } }, asked],
    [
      'a file that changed since',
      context,
      { ...asked, files: [{ ...asked.files[0], path: 'Makefile', beforeHash: hashOf('e'), afterHash: hashOf('b'), diff: '' }] },
    ],
  ])('S19 B40 an answer does not hold for %s', (_what, otherContext, otherAsked) => {
    using state = testState();
    const approvals = build(state);
    answered(approvals, 'approve');
    expect(refusal(() => approvals.require(otherContext, otherAsked)).code).toBe('APPROVAL_REQUIRED');
  });

  it('B40 exactly one of two answers wins and the other learns who and when', () => {
    using state = testState();
    const approvals = build(state);
    const approvalId = answered(approvals, 'deny', 'not now');
    const late = refusal(() => approvals.decide({ approvalId, argumentsHash: context.argumentsHash, decision: 'approve', by: 'phone' }));
    expect(late.code).toBe('CONFLICT');
    expect(late.failure.detail).toMatchObject({ status: 'denied', decidedBy: 'desk', decidedAt: expect.any(Number) as number });
  });

  it('tells the account what was answered: the operation and its subject', () => {
    using state = testState();
    const approvalId = answered(build(state), 'deny', 'not now');
    const [decided] = createEvents(state).list({ limit: 1 });
    expect([decided?.kind, decided?.body]).toEqual([
      'approval.decided',
      { approvalId, decision: 'deny', by: 'desk', note: 'not now', operation: 'edit_file', summary: 'edit Makefile' },
    ]);
  });

  it('a denial carries the note of the owner to the client', () => {
    using state = testState();
    const approvals = build(state);
    answered(approvals, 'deny', 'use the other file');
    const refused = refusal(() => approvals.require(context, asked));
    expect(refused.code).toBe('FORBIDDEN');
    expect(refused.message).toContain('use the other file');
  });

  it('B40 a pending request survives a restart and can be answered then', () => {
    using state = testState();
    const approvalId = refusal(() => build(state).require(context, asked)).failure.detail?.['approvalId'] as string;
    const afterRestart = build(state);
    afterRestart.decide({ approvalId, argumentsHash: context.argumentsHash, decision: 'approve', by: 'desk' });
    expect(afterRestart.require(context, asked)).toBe(approvalId);
  });

  it.each(['pending', 'approved'])('B40 B38 a request that ran out while %s counts as denied and stays so', (when) => {
    using state = testState();
    const approvals = build(state);
    const approvalId =
      when === 'approved'
        ? answered(approvals, 'approve')
        : (refusal(() => approvals.require(context, asked)).failure.detail?.['approvalId'] as string);
    state.clock.advance(APPROVAL_TTL_MS + 1);
    expect(refusal(() => approvals.spend(approvalId)).code).toBe('APPROVAL_EXPIRED');
    expect(approvals.status(approvalId, caller).status).toBe('expired');
    state.clock.advance(-2 * APPROVAL_TTL_MS);
    expect(approvals.status(approvalId, caller).status).toBe('expired');
    const late = () => approvals.decide({ approvalId, argumentsHash: context.argumentsHash, decision: 'approve', by: 'desk' });
    expect(refusal(late).code).toBe('APPROVAL_EXPIRED');
  });

  it('S19 words that are not the ones on the screen decide nothing', () => {
    using state = testState();
    const approvals = build(state);
    const approvalId = refusal(() => approvals.require(context, asked)).failure.detail?.['approvalId'] as string;
    const wrong = () => approvals.decide({ approvalId, argumentsHash: hashOf('f'), decision: 'approve', by: 'desk' });
    expect(refusal(wrong).code).toBe('CONFLICT');
    expect(approvals.status(approvalId, caller).status).toBe('pending');
  });

  it('S19 a flood of requests is an alarm and not a queue', () => {
    using state = testState();
    const approvals = build(state);
    const ask = (n: number) =>
      refusal(() => approvals.require({ ...context, argumentsHash: n.toString(16).padStart(64, '0') }, asked)).code;
    const codes = Array.from({ length: 500 }, (_, n) => ask(n));
    expect(codes.filter((code) => code === 'APPROVAL_REQUIRED')).toHaveLength(PENDING_MAX);
    expect(codes.at(-1)).toBe('RESOURCE_LIMIT');
  });

  it("S23 another caller's request is not found", () => {
    using state = testState();
    const approvals = build(state);
    const approvalId = refusal(() => approvals.require(context, asked)).failure.detail?.['approvalId'] as string;
    expect(refusal(() => approvals.status(approvalId, { ...caller, principal: 'token:t2' })).code).toBe('NOT_FOUND');
  });
});
