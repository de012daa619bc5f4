// How a request ended, as a state with its word.
import type { Approval } from '#shared/contracts/approvals.ts';
import type { Tone } from '../../state/line.ts';

export interface OutcomeChip {
  tone: Tone;
  word: 'allowed' | 'denied' | 'used' | 'expired';
}

export function outcomeOf({ status }: Approval): OutcomeChip {
  if (status === 'approved') return { tone: 'done', word: 'allowed' };
  if (status === 'used') return { tone: 'done', word: 'used' };
  return status === 'denied' ? { tone: 'failed', word: 'denied' } : { tone: 'unknown', word: 'expired' };
}
