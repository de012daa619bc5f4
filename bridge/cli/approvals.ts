// drawbridge approvals, approve, deny: the owner's decisions from a terminal, over the exact words that will run.
import type { Approval } from '#shared/contracts/approvals.ts';
import { Failed } from '../failed.ts';
import { describeGrant } from './grants.ts';
import { say } from './output.ts';
import { asOwner } from './owner.ts';
import { visible, visibleLines } from './visible.ts';

export async function listApprovals({ home, json }: { home?: string; json: boolean }): Promise<void> {
  const { approvals, now } = await asOwner(home, (call) => call('approval_list', { status: 'pending' }));
  if (json) return say(JSON.stringify({ approvals, now }));
  if (approvals.length === 0) return say('Nothing waits for you.');
  say(approvals.map((approval) => describe(approval, now)).join('\n\n'));
}

export interface DecideOptions {
  home?: string;
  note?: string;
  /** Minutes. */
  for?: number;
  json: boolean;
}

/** Prints what was decided about, so that the terminal holds the words that the decision was bound to. */
export async function decide(approvalId: string, decision: 'approve' | 'deny', options: DecideOptions): Promise<void> {
  const { home, note, json } = options;
  const decided = await asOwner(home, async (call) => {
    const { approvals } = await call('approval_list', { limit: 200 });
    const asked = approvals.find((each) => each.approvalId === approvalId);
    if (asked === undefined) throw new Failed('NOT_FOUND', 'There is no approval of that id. Nothing was done.');
    const words = { ...(note === undefined ? {} : { note }), ...(options.for === undefined ? {} : { forMinutes: options.for }) };
    return call('approval_decide', { approvalId, argumentsHash: asked.argumentsHash, decision, ...words });
  });
  if (json) return say(JSON.stringify(decided));
  say([describe(decided.approval, null), ...(decided.grant === null ? [] : [`  for a while: ${describeGrant(decided.grant)}`])].join('\n'));
}

function describe(approval: Approval, now: number | null): string {
  const left = now === null ? '' : `, ${Math.max(0, Math.ceil((approval.expiresAt - now) / 1000))} s left`;
  return [
    `${approval.approvalId}  ${approval.status}${left}`,
    `  ${visible(approval.caller.name)} asks for ${approval.operation}: ${visible(approval.summary)}`,
    ...approval.reasons.map((reason) => `  because: ${visible(reason)}`),
    `  exactly: ${visible(approval.arguments)}`,
    ...approval.files.flatMap(({ path, diff }) => [`  file: ${visible(path)}`, ...indented(visibleLines(diff))]),
  ].join('\n');
}

const indented = (text: string): string[] => text.split('\n').map((line) => `    ${line}`);
