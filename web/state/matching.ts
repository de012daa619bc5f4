// Which lines a search lets through. The words of a search all have to be there, in any of the fields a person would look at.
import type { BridgeEvent } from '#shared/events.ts';
import { callOf, lineOf } from './line.ts';

export const shows = ['all', 'changes', 'refused', 'approvals', 'access'] as const;
export type Show = (typeof shows)[number];

export interface Wanted {
  text: string;
  projectId: string;
  show: Show;
}

const kindsOf: Record<Exclude<Show, 'all' | 'changes' | 'refused'>, readonly string[]> = {
  approvals: ['approval.requested', 'approval.decided', 'grant.created', 'grant.revoked'],
  access: [
    'access.refused',
    'token.issued',
    'token.revoked',
    'token.changed',
    'client.admitted',
    'client.revoked',
    'client.changed',
    'settings.changed',
    'project.added',
    'project.removed',
  ],
};

export const isEverything = (wanted: Wanted): boolean => wanted.text.trim() === '' && wanted.projectId === '' && wanted.show === 'all';

export function matches(event: BridgeEvent, wanted: Wanted): boolean {
  if (wanted.projectId !== '' && event.projectId !== wanted.projectId) return false;
  if (!isShown(event, wanted.show)) return false;
  const words = wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return true;
  const haystack = haystackOf(event);
  return words.every((word) => haystack.includes(word));
}

function isShown(event: BridgeEvent, show: Show): boolean {
  if (show === 'all') return true;
  if (show === 'changes') return lineOf(event).changesetId !== null;
  if (show === 'refused') return ['refused', 'partly', 'failed', 'denied'].includes(lineOf(event).ending);
  return kindsOf[show].includes(event.kind);
}

function haystackOf(event: BridgeEvent): string {
  const line = lineOf(event);
  const code = callOf(event)?.code ?? '';
  const body = JSON.stringify(event.body);
  return `#${event.position} ${line.label} ${line.who ?? ''} ${line.text} ${code} ${body}`.toLowerCase();
}
