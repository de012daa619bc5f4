// Sends the owner's answer and says whose answer stands: another device may have been quicker.
import type { Approval } from '#shared/contracts/approvals.ts';
import type { Parts } from '../../parts.ts';

export async function answer(parts: Parts, approval: Approval, choice: 'approve' | 'deny'): Promise<void> {
  const { approvals, clock, language, notices } = parts;
  const { ask, chips } = language.words;
  const whose = await approvals.decide(approval, choice);
  if (whose === 'failed') return;
  if (whose === 'mine')
    return notices.say(choice === 'approve' ? ask.allowedNow(approval.caller.name) : ask.deniedNow(approval.caller.name));
  const after = approvals.find(approval.approvalId);
  const status = after?.status === 'denied' ? chips.denied : chips.allowed;
  const when = language.format.relative(after?.decidedAt ?? clock.nowMs, clock.nowMs);
  notices.say(ask.answered(status, after?.decidedBy ?? ask.someone, when));
}
