// One act, one row: every line is in exactly one row, whatever order the lines come in.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BridgeEvent, EventKind } from '#shared/events.ts';
import { Folds, rowsAmong } from './folds.ts';
import { testAccount } from './test-account.ts';

type Said = { kind?: EventKind } & Record<string, unknown>;
const call = (operation: string, more: object = {}): Said => ({ operation, code: 'OK', ...more });
const asked = (approvalId: string): Said[] => [
  { kind: 'approval.requested', approvalId },
  call('edit_file', { code: 'APPROVAL_REQUIRED', approvalId }),
];

/** An account that says this, from line 1. */
function account(...said: Said[]): BridgeEvent[] {
  return testAccount()
    .append(said.length, (position) => said[position - 1] ?? {})
    .map((event) => ({ ...event, kind: (event.body['kind'] as EventKind | undefined) ?? 'call' }));
}
const positions = (events: readonly BridgeEvent[]) => rowsAmong(events).map((line) => [line.position, line.ending, ...line.also]);

describe('rows of the account', () => {
  it('tell a question once, with the call that asked it', () => {
    expect(positions(account(call('read_files'), ...asked('apr_1'), call('read_files')))).toEqual([
      [1, 'done'],
      [3, 'asked', 2],
      [4, 'done'],
    ]);
  });

  it('show a call that is sent again as the call it was, and a question whose call is not known as itself', () => {
    const [question, first, ...more] = account(...asked('apr_1'), ...asked('apr_1').slice(1));
    expect(positions([question, first, ...more] as BridgeEvent[])).toEqual([
      [2, 'asked', 1],
      [3, 'asked'],
    ]);
    expect(positions([question] as BridgeEvent[])).toEqual([[1, 'asked']]);
  });

  it('tell an act of the owner once, by how it ended', () => {
    const denied = { kind: 'approval.decided', decision: 'deny' } as const;
    const events = account(denied, call('approval_decide'), { kind: 'token.issued' }, call('token_issue'), { kind: 'grant.created' });
    expect(positions([...events, ...account(call('grant_list')).map((event) => ({ ...event, position: 6 }))])).toEqual([
      [2, 'denied', 1],
      [4, 'issued', 3],
      [5, 'allowed'],
      [6, 'done'],
    ]);
  });

  it('fold an answer for a while into one row, and nothing of another act', () => {
    const granted: Said[] = [{ kind: 'grant.created' }, { kind: 'approval.decided', decision: 'approve' }, call('approval_decide')];
    expect(positions(account({ kind: 'grant.created' }, ...granted))).toEqual([
      [1, 'allowed'],
      [4, 'allowed', 3, 2],
    ]);
  });

  it('are found by number in any account, the same in whatever order its lines arrive', () => {
    const part = fc.constantFrom('question', 'again', 'read', 'token');
    const said = (parts: readonly string[]): Said[] =>
      parts.flatMap((kind, index): Said[] => {
        if (kind === 'question') return asked(`apr_${index}`);
        // The same call once more meets the question that waits already.
        const first = parts.indexOf('question');
        if (kind === 'again' && first !== -1 && first < index) return asked(`apr_${first}`).slice(1);
        return kind !== 'token' ? [call('read_files')] : [{ kind: 'token.issued' }, call('token_issue')];
      });
    const order = fc.array(fc.nat(), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(fc.array(part, { maxLength: 20 }), order, (parts, keys) => {
        const events = account(...said(parts));
        const at = (known: readonly BridgeEvent[]) => (position: number) => known.find((event) => event.position === position);
        const shuffled = [...events].sort((left, right) => (keys[left.position] ?? 0) - (keys[right.position] ?? 0));
        const folds = new Folds();
        shuffled.forEach((event, index) => folds.see(event, at(shuffled.slice(0, index + 1))));
        const rows = events.filter((event) => !folds.has(event.position)).map((event) => event.position);
        expect(rows).toEqual(rowsAmong(events).map((line) => line.position));
        expect(folds.rowsTo(events.length)).toBe(rows.length);
        expect(rows.map((_, index) => folds.positionAt(events.length, index))).toEqual([...rows].reverse());
        const told = rows.flatMap((position) => [position, ...folds.of(position)]);
        expect(told.sort((left, right) => left - right)).toEqual(events.map((event) => event.position));
      }),
    );
  });
});
