// One act, one row: lines of the account that a call tells already are folded into that call's row. Nothing is folded whose call is not known.
import type { BridgeEvent, EventKind } from '#shared/events.ts';
import { callOf, rowOf, type Line } from './line.ts';

/** The lines that a call of the owner writes just before its own. */
const writes: Record<string, readonly EventKind[]> = {
  approval_decide: ['approval.decided', 'grant.created'],
  grant_create: ['grant.created'],
  grant_revoke: ['grant.revoked'],
  settings_change: ['settings.changed'],
  project_add: ['project.added'],
  project_remove: ['project.removed'],
  token_issue: ['token.issued'],
  token_revoke: ['token.revoked'],
  token_projects: ['token.changed'],
  client_revoke: ['client.revoked'],
  client_projects: ['client.changed'],
  consent_decide: ['client.admitted'],
};

type At = (position: number) => BridgeEvent | undefined;

export class Folds {
  /** Ascending. */
  #folded: number[] = [];
  readonly #tellers = new Map<number, number>();
  readonly #told = new Map<number, readonly number[]>();
  readonly #questions = new Map<string, number>();
  /** The first call that met each question. */
  readonly #askers = new Map<string, number>();

  /** Takes in one line; `at` finds the lines around it that are known. */
  see(event: BridgeEvent, at: At): void {
    const call = callOf(event);
    if (call?.code === 'APPROVAL_REQUIRED' && typeof call.approvalId === 'string') this.#asks(call.approvalId, event.position);
    else if (event.kind === 'approval.requested') this.#isQuestion(event);
    else if (call !== null) this.#wrote(event.position, writes[call.operation] ?? [], at);
    else this.#waits(event.position, at);
  }

  has(position: number): boolean {
    return this.#tellers.has(position);
  }

  /** The lines that the row of this one tells too. */
  of(position: number): readonly number[] {
    return this.#told.get(position) ?? [];
  }

  /** How many rows there are from the first line to this one. */
  rowsTo(top: number): number {
    return top - this.#foldedTo(top);
  }

  /** The position of a row, counted from the newest one at `top`. */
  positionAt(top: number, index: number): number {
    const last = this.#foldedTo(top);
    let [low, high] = [0, last];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#folded[last - 1 - middle] ?? 0) + middle < top - index) high = middle;
      else low = middle + 1;
    }
    return top - index - low;
  }

  #asks(approvalId: string, position: number): void {
    const first = Math.min(position, this.#askers.get(approvalId) ?? position);
    this.#askers.set(approvalId, first);
    const question = this.#questions.get(approvalId);
    if (question !== undefined && question < first) this.#fold(question, first);
  }

  #isQuestion({ body, position }: BridgeEvent): void {
    const { approvalId } = body;
    if (typeof approvalId !== 'string') return;
    this.#questions.set(approvalId, position);
    const asker = this.#askers.get(approvalId);
    if (asker !== undefined && position < asker) this.#fold(position, asker);
  }

  /** Folds what stands right before a call and is of its kinds, one of each. */
  #wrote(position: number, kinds: readonly EventKind[], at: At): void {
    let left = kinds;
    for (let before = position - 1; left.length > 0; before -= 1) {
      const kind = at(before)?.kind;
      if (kind === undefined || !left.includes(kind)) return;
      left = left.filter((other) => other !== kind);
      this.#fold(before, position);
    }
  }

  /** The call of this line may be known already: lines come in any order. */
  #waits(position: number, at: At): void {
    for (let after = position + 1; after <= position + 2; after += 1) {
      const event = at(after);
      const call = event === undefined ? null : callOf(event);
      if (call !== null) return this.#wrote(after, writes[call.operation] ?? [], at);
    }
  }

  #fold(position: number, teller: number): void {
    const before = this.#tellers.get(position);
    if (before === teller) return;
    if (before === undefined) this.#folded.splice(this.#foldedTo(position), 0, position);
    else
      this.#told.set(
        before,
        this.of(before).filter((other) => other !== position),
      );
    this.#tellers.set(position, teller);
    this.#told.set(teller, [...this.of(teller), position]);
  }

  /** How many folded lines there are up to this one. */
  #foldedTo(position: number): number {
    let [low, high] = [0, this.#folded.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#folded[middle] ?? 0) <= position) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Some lines as rows, in the order they are in. */
export function rowsAmong(events: readonly BridgeEvent[]): Line[] {
  const known = new Map(events.map((event) => [event.position, event]));
  const at: At = (position) => known.get(position);
  const folds = new Folds();
  for (const event of events) folds.see(event, at);
  const toldBy = (event: BridgeEvent) => folds.of(event.position).flatMap((position) => at(position) ?? []);
  return events.filter(({ position }) => !folds.has(position)).map((event) => rowOf(event, toldBy(event)));
}
