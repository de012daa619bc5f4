// The owner's answers through the console: one wins, the other learns whose, and only over the words that were on the screen.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Approval } from '#shared/contracts/approvals.ts';
import { sha256 } from '../base/digest.ts';
import { Failed } from '../failed.ts';
import { signIn, testConsole, type TestConsole, type TestSession } from '../testing/console.ts';

let bridge: TestConsole;
beforeEach(async () => void (bridge = await testConsole()));
afterEach(() => bridge[Symbol.asyncDispose]());

const ARGUMENTS = '{"path":"a\u202eb","text":"x\\ny"}';

/** A client's request that waits for the owner. */
function ask(): string {
  const caller = { kind: 'client', principal: 'token:1', name: 'Agent', scopes: new Set(['write' as const]), projectIds: null } as const;
  const context = {
    caller,
    project: null,
    session: 's',
    operation: 'write_file',
    argumentsText: ARGUMENTS,
    argumentsHash: sha256(ARGUMENTS),
  };
  try {
    bridge.approvals.require(context, { summary: 'write a file', reasons: ['It later runs with more power.'], files: [] });
  } catch (error) {
    if (error instanceof Failed && error.code === 'APPROVAL_REQUIRED') return String(error.failure.detail?.['approvalId']);
    throw error;
  }
  throw new Error('nothing was asked');
}

const decide = (session: TestSession, answer: { approvalId: string; decision: 'approve' | 'deny'; argumentsHash?: string }) =>
  session.call('approval_decide', { argumentsHash: sha256(ARGUMENTS), ...answer });

async function pending(session: TestSession): Promise<Approval[]> {
  const { envelope } = await session.call('approval_list', { status: 'pending' });
  return (envelope.data as { approvals: Approval[] }).approvals;
}

describe('deciding', () => {
  it('B40 two consoles answer at once: one answer holds, the other console learns whose it was', async () => {
    const approvalId = ask();
    const [desk, phone] = [await bridge.signIn(), await bridge.signIn()];
    const answers = await Promise.all([decide(desk, { approvalId, decision: 'approve' }), decide(phone, { approvalId, decision: 'deny' })]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    const late = answers.find(({ status }) => status === 409)?.envelope.error;
    expect(late).toMatchObject({ code: 'CONFLICT' });
    expect(JSON.stringify(late)).toContain('Browser on this machine');
    expect(await pending(desk)).toEqual([]);
  });

  it('B40 what waits is there again after a reload and after a restart', async () => {
    const approvalId = ask();
    await bridge.restart();
    const session = await signIn(bridge.url, bridge.links.create().code);
    expect((await pending(session)).map((each) => each.approvalId)).toEqual([approvalId]);
    expect((await decide(session, { approvalId, decision: 'approve' })).status).toBe(200);
    expect((await decide(session, { approvalId, decision: 'approve' })).status).toBe(409);
  });

  it('S19 gives the console the exact words, and takes no answer to other ones', async () => {
    const approvalId = ask();
    const session = await bridge.signIn();
    expect((await pending(session))[0]).toMatchObject({ arguments: ARGUMENTS, argumentsHash: sha256(ARGUMENTS) });
    expect((await decide(session, { approvalId, decision: 'approve', argumentsHash: sha256('other words') })).status).toBe(409);
    expect((await pending(session)).map((each) => each.approvalId)).toEqual([approvalId]);
  });

  it('S19 is out of reach of a page that only has the cookie', async () => {
    const approvalId = ask();
    const { cookie } = await bridge.signIn();
    const headers = { cookie, 'content-type': 'text/plain' };
    const body = JSON.stringify({ input: { approvalId, argumentsHash: sha256(ARGUMENTS), decision: 'approve' } });
    expect((await fetch(`${bridge.url}/api/call/approval_decide`, { method: 'POST', headers, body })).status).toBe(403);
    expect((await pending(await bridge.signIn())).map((each) => each.approvalId)).toEqual([approvalId]);
  });
});
