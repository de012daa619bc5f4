// Sends the owner's answer and says whose answer stands: another device may have been quicker.
import type { Approval } from '#shared/contracts/approvals.ts';
import type { Parts } from '../../parts.ts';
import type { Answer } from '../../state/approvals.svelte.ts';

const MINUTE_MS = 60_000;

export async function answer(parts: Parts, approval: Approval, choice: Answer): Promise<void> {
  const { approvals, clock, grants, language, notices } = parts;
  const { ask, chips } = language.words;
  const { name } = approval.caller;
  const span = language.format.span(approvals.decision(approval.approvalId).minutes * MINUTE_MS);
  const whose = await approvals.decide(approval, choice);
  if (choice === 'approve-for-a-while') await grants.list.refresh();
  if (whose === 'failed') return;
  if (whose === 'mine') {
    const said = { approve: ask.allowedNow, 'approve-for-a-while': ask.allowedFor(name, span), deny: ask.deniedNow(name) };
    return notices.say(said[choice]);
  }
  const after = approvals.find(approval.approvalId);
  const status = after?.status === 'denied' ? chips.denied : chips.allowed;
  const when = language.format.relative(after?.decidedAt ?? clock.nowMs, clock.nowMs);
  notices.say(ask.answered(status, after?.decidedBy ?? ask.someone, when));
}
