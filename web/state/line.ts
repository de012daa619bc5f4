// One event as one line for the eye: how it ended, what it was, who did it. It states what was recorded and guesses nothing.
import type { BridgeEvent, CallBody } from '#shared/events.ts';

export type Tone = 'running' | 'waiting' | 'done' | 'failed' | 'unknown' | 'plain';

export type Ending =
  | 'done'
  | 'partly'
  | 'refused'
  | 'failed'
  | 'asked'
  | 'replayed'
  | 'allowed'
  | 'denied'
  | 'started'
  | 'added'
  | 'removed'
  | 'issued'
  | 'revoked'
  | 'recovered';

export const toneOf: Record<Ending, Tone> = {
  done: 'done',
  partly: 'waiting',
  refused: 'failed',
  failed: 'failed',
  asked: 'waiting',
  replayed: 'done',
  allowed: 'done',
  denied: 'failed',
  started: 'plain',
  added: 'plain',
  removed: 'plain',
  issued: 'plain',
  revoked: 'plain',
  recovered: 'unknown',
};

export interface Line {
  position: number;
  at: number;
  ending: Ending;
  /** The operation, or the kind of an event that is no call. */
  label: string;
  who: string | null;
  /** The bridge's own sentence about it; empty when there is none. */
  text: string;
  /** The path the call was about, when it names one. */
  path: string | null;
  projectId: string | null;
  changesetId: string | null;
  approvalId: string | null;
  /** The owner's own reading: nothing an agent did. */
  isOwnRead: boolean;
  /** Lines of the account that this one tells too. */
  also: readonly number[];
}

/** Codes that say something went wrong, as opposed to a call that was turned down. */
const faults: ReadonlySet<string> = new Set(['INTERNAL_ERROR', 'TIMEOUT', 'RECOVERY_REQUIRED', 'PARTIAL_RECOVERY_REQUIRED']);

export const callOf = (event: BridgeEvent): CallBody | null => (event.kind === 'call' ? (event.body as CallBody) : null);

export function lineOf(event: BridgeEvent): Line {
  const call = callOf(event);
  return call === null ? otherLine(event) : callLine(event, call);
}

/** A line together with those it tells too: how the act ended is what they say of it. */
export function rowOf(event: BridgeEvent, told: readonly BridgeEvent[]): Line {
  const line = lineOf(event);
  const [first] = told.map(lineOf);
  return {
    ...line,
    ending: line.ending === 'done' ? (first?.ending ?? line.ending) : line.ending,
    also: told.map(({ position }) => position),
  };
}

function callLine(event: BridgeEvent, call: CallBody): Line {
  return {
    ...placeOf(event),
    ending: call.code === 'OK' ? successOf(call) : refusalOf(call.code),
    label: call.operation,
    who: call.caller.name,
    text: (call.code === 'OK' ? call.brief : call.message) ?? '',
    path: pathIn(call.arguments),
    changesetId: call.changesetId,
    approvalId: call.approvalId,
    isOwnRead: call.caller.kind === 'owner' && call.action === 'read',
    also: [],
  };
}

/** A call that went well may still have been refused a part of what it asked. */
function successOf({ refused, replayed }: CallBody): Ending {
  if (refused !== undefined && refused > 0) return 'partly';
  return replayed ? 'replayed' : 'done';
}

function refusalOf(code: string): Ending {
  if (code === 'APPROVAL_REQUIRED') return 'asked';
  return faults.has(code) ? 'failed' : 'refused';
}

function otherLine(event: BridgeEvent): Line {
  const { body, kind } = event;
  const version = textIn(body, 'version');
  const text = ['summary', 'name', 'message', 'what', 'outcome'].map((key) => textIn(body, key)).find((found) => found !== null);
  const asked = kind.startsWith('approval.') ? textIn(body, 'operation') : null;
  return {
    ...placeOf(event),
    ending: endingOf(event),
    label: kind,
    who: textIn(body, 'caller') ?? textIn(body, 'by') ?? textIn(body, 'peer'),
    text: [asked, text, version === null ? null : `Drawbridge ${version}`, textIn(body, 'note')]
      .filter((part) => typeof part === 'string' && part !== '')
      .join(' · '),
    path: textIn(body, 'root'),
    changesetId: textIn(body, 'changesetId'),
    approvalId: textIn(body, 'approvalId'),
    isOwnRead: false,
    also: [],
  };
}

function endingOf({ kind, body }: BridgeEvent): Ending {
  switch (kind) {
    case 'approval.requested':
      return 'asked';
    case 'approval.decided':
      return body['decision'] === 'approve' ? 'allowed' : 'denied';
    case 'access.refused':
      return 'refused';
    case 'bridge.started':
      return 'started';
    case 'project.added':
      return 'added';
    case 'project.removed':
      return 'removed';
    case 'token.issued':
      return 'issued';
    case 'token.revoked':
    case 'grant.revoked':
      return 'revoked';
    case 'grant.created':
      return 'allowed';
    case 'change.recovered':
      return 'recovered';
    default:
      return 'done';
  }
}

const placeOf = ({ position, at, projectId }: BridgeEvent) => ({ position, at, projectId });

function textIn(body: unknown, key: string): string | null {
  const value = typeof body === 'object' && body !== null ? (body as Record<string, unknown>)[key] : null;
  return typeof value === 'string' ? value : null;
}

/** The one path of a call. A call over several files names none here: its own sentence counts them. */
function pathIn(input: unknown): string | null {
  return textIn(input, 'path');
}
