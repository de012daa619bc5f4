// The keys of one open request. They count only on the card itself or its words, and not in the moment it appears under a hand that was typing.
import type { Approval } from '#shared/contracts/approvals.ts';
import type { Parts } from '../../parts.ts';
import type { Decision } from '../../state/approvals.svelte.ts';

import { answer } from './answering.ts';

const SETTLE_MS = 700;

interface AskKey {
  event: KeyboardEvent;
  approval: Approval;
  decision: Decision;
  shownAt: number;
}

/** Not on what is inside and has keys of its own: a button, a link, a field. */
const isOnCard = ({ target, currentTarget }: KeyboardEvent): boolean =>
  target === currentTarget || (target instanceof HTMLElement && target.matches('.words'));

export function onAskKey(parts: Parts, { event, approval, decision, shownAt }: AskKey): void {
  const { connection, router } = parts;
  if (!isOnCard(event) || event.repeat || event.ctrlKey || event.metaKey || event.altKey || decision.attempt.isBusy) return;
  if (Date.now() - shownAt < SETTLE_MS) return;
  const isUp = connection.phase === 'up';
  if (event.key === 'Enter') router.open({ kind: 'approval', id: approval.approvalId });
  else if (event.key === 'a' && isUp && decision.isRead) void answer(parts, approval, 'approve');
  else if (event.key === 'd' && isUp) decision.isDenying = true;
  else return;
  event.preventDefault();
}
