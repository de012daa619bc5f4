// What waits for the owner, and the owner's one answer to each. Another device may be quicker: then its answer stands.
import type { Approval } from '#shared/contracts/approvals.ts';
import type { Connect } from '../link/client.ts';
import { Attempt } from './attempt.svelte.ts';
import type { Clock } from './clock.svelte.ts';
import type { Drafts } from './drafts.ts';
import { Known } from './known.svelte.ts';

export type Answer = 'approve' | 'approve-for-a-while' | 'deny';

const LATEST = 200;
const FLOOD_MS = 60_000;
const FLOOD_FROM = 10;

export class Approvals {
  readonly list: Known<readonly Approval[]>;
  /** Oldest first, so that a new request never moves the one that is being read. */
  readonly pending: readonly Approval[];
  /** What is over, by an answer or because its time ran out; the latest first. */
  readonly answered: readonly Approval[];
  /** How many came within the last minute, when that is more than a person would cause. */
  readonly flood: number | null;
  readonly #connect: Connect;
  readonly #decisions: Record<string, Decision> = {};
  readonly #drafts: Drafts;

  constructor(connect: Connect, clock: Clock, drafts: Drafts) {
    this.#connect = connect;
    this.#drafts = drafts;
    this.list = new Known(async () => (await connect().approval_list({ limit: LATEST })).approvals);
    this.pending = $derived.by(() =>
      (this.list.value ?? [])
        .filter((approval) => approval.status === 'pending' && approval.expiresAt > clock.nowMs)
        .sort((left, right) => left.createdAt - right.createdAt || left.approvalId.localeCompare(right.approvalId)),
    );
    this.answered = $derived.by(() =>
      (this.list.value ?? [])
        .filter((approval) => approval.status !== 'pending' || approval.expiresAt <= clock.nowMs)
        .sort((left, right) => endedAt(right) - endedAt(left)),
    );
    this.flood = $derived.by(() => {
      const fresh = (this.list.value ?? []).filter((approval) => clock.nowMs - approval.createdAt < FLOOD_MS).length;
      return fresh >= FLOOD_FROM ? fresh : null;
    });
  }

  find(approvalId: string): Approval | undefined {
    return this.list.value?.find((approval) => approval.approvalId === approvalId);
  }

  decision(approvalId: string): Decision {
    return (this.#decisions[approvalId] ??= new Decision(approvalId, this.#drafts));
  }

  /** Answers with the hash of the words that were on the screen, and says whose answer stands. */
  async decide(approval: Approval, answer: Answer): Promise<'mine' | 'beaten' | 'failed'> {
    const decision = this.decision(approval.approvalId);
    const note = answer === 'deny' ? decision.note.trim() : '';
    const forMinutes = answer === 'approve-for-a-while' ? { forMinutes: decision.minutes } : {};
    const { approvalId, argumentsHash } = approval;
    await decision.attempt.run(() =>
      this.#connect().approval_decide({
        approvalId,
        argumentsHash,
        decision: answer === 'deny' ? 'deny' : 'approve',
        ...(note === '' ? {} : { note }),
        ...forMinutes,
      }),
    );
    await this.list.refresh();
    const { problem } = decision.attempt;
    if (problem === null) decision.close();
    const status = this.find(approvalId)?.status ?? 'pending';
    decision.wasBeaten = problem?.kind === 'refused' && status !== 'pending' && status !== 'expired';
    if (decision.wasBeaten) return 'beaten';
    return problem === null ? 'mine' : 'failed';
  }
}

/** When a request was answered, or ran out without an answer. */
export const endedAt = ({ decidedAt, expiresAt }: Approval): number => decidedAt ?? expiresAt;

/** The owner's side of one request: what was read, what is being written, and how the answer went. */
export class Decision {
  /** Whether the end of the words has been on the screen. */
  isRead = $state(false);
  /** How far down the words the reader is, of the whole. */
  share = $state(0);
  isDenying = $state(false);
  /** Choosing for how long the same may go on. */
  isGranting = $state(false);
  minutes = $state(60);
  /** Someone else answered first. */
  wasBeaten = $state(false);
  readonly attempt = new Attempt();
  readonly #approvalId: string;
  readonly #drafts: Drafts;
  #note = $state('');

  constructor(approvalId: string, drafts: Drafts) {
    this.#approvalId = approvalId;
    this.#drafts = drafts;
    this.#note = drafts.get(approvalId);
    this.isDenying = this.#note !== '';
  }

  get note(): string {
    return this.#note;
  }

  set note(text: string) {
    this.#note = text;
    this.#drafts.set(this.#approvalId, text);
  }

  close(): void {
    this.note = '';
    this.isDenying = false;
    this.isGranting = false;
  }
}
