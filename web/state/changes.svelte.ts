// Changes as the bridge tells them: whether each stands, its diffs, and taking it back or making it again.
import type { z } from 'zod';
import type { BridgeEvent } from '#shared/events.ts';
import type { Changeset } from '#shared/contracts/changes.ts';
import type { Contracts } from '#shared/contracts.ts';
import type { Connect } from '../link/client.ts';
import { LinkLost } from '../link/problem.ts';
import { countDiff, parseDiff, type DiffCounts } from '../text/diff.ts';
import { Attempt } from './attempt.svelte.ts';
import { Known } from './known.svelte.ts';
import { lineOf } from './line.ts';
import { isStillOpen, rowTurnOf, turnOf, type Turn } from './standing.ts';

export type Inspection = z.output<Contracts['change_inspect']['output']>;

const HISTORY = 100;
const SETTLE_MS = 150;

export class Changes {
  /** The latest changes of each project that was looked at. */
  byId = $state.raw<Readonly<Record<string, Changeset>>>({});
  /** Lines added and removed by changes that were looked at; a change whose diff was cut is not counted. */
  counts = $state.raw<Readonly<Record<string, DiffCounts>>>({});
  readonly settling = new Attempt();
  readonly #connect: Connect;
  readonly #histories: Record<string, Known<readonly Changeset[]>> = {};
  readonly #inspections: Record<string, Known<Inspection>> = {};
  readonly #attempts: Record<string, Attempt> = {};
  /** One key for one intent: kept until the bridge has said how it ended. */
  readonly #keys: Record<string, string> = {};
  #watched: readonly string[] = [];
  /** Projects to look at again; several changes at once are one look. */
  #touched: readonly string[] = [];

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  history(projectId: string): Known<readonly Changeset[]> {
    return (this.#histories[projectId] ??= new Known(() => this.#loadHistory(projectId)));
  }

  inspection(changesetId: string): Known<Inspection> {
    return (this.#inspections[changesetId] ??= new Known(() => this.#inspect(changesetId)));
  }

  attempt(changesetId: string): Attempt {
    return (this.#attempts[changesetId] ??= new Attempt());
  }

  /** Changes that recovery could not finish and that block their project. */
  readonly interrupted: readonly Changeset[] = $derived.by(() =>
    Object.values(this.byId).filter((change) => change.status === 'recovery_required'),
  );

  /** Looks at the histories of the projects that these lines changed, and at what is open of them. */
  follow(batch: readonly BridgeEvent[]): void {
    const projects = batch.filter((event) => lineOf(event).changesetId !== null).map((event) => event.projectId);
    const isWaiting = this.#touched.length > 0;
    this.#touched = [...this.#touched, ...projects.filter((projectId) => projectId !== null)];
    if (!isWaiting && this.#touched.length > 0) setTimeout(() => this.#refreshTouched(), SETTLE_MS);
  }

  turnOf(change: Changeset | undefined): Turn | null {
    return turnOf(change, this.byId);
  }

  rowTurnOf(change: Changeset | undefined): Turn | null {
    return rowTurnOf(change, this.byId);
  }

  isStillOpen(turn: Turn): boolean {
    return isStillOpen(turn, this.byId);
  }

  /** Later changes of the same files, without those that only took this one back and made it again. */
  laterOf({ changeset, laterChanges }: Inspection): string[] {
    const isOwnTurn = (changesetId: string): boolean => {
      const undoes = this.byId[changesetId]?.undoes ?? null;
      return changesetId === changeset.undoneBy || undoes === changeset.changesetId || (undoes !== null && isOwnTurn(undoes));
    };
    return laterChanges.filter((changesetId) => !isOwnTurn(changesetId));
  }

  /** Looks at a change once, without keeping it fresh. */
  async look(changesetId: string): Promise<void> {
    const known = this.inspection(changesetId);
    if (known.value === null && known.problem === null) await known.refresh();
  }

  /** Keeps an inspection fresh while a view shows it. */
  watch(changesetId: string): () => void {
    this.#watched = [...this.#watched, changesetId];
    void this.inspection(changesetId).refresh();
    return () => {
      const index = this.#watched.indexOf(changesetId);
      this.#watched = this.#watched.filter((_, at) => at !== index);
    };
  }

  /** Takes the target back. Answers the change that did it, or null; then the attempt says why. */
  async turn({ target, projectId }: Turn): Promise<string | null> {
    const done = await this.attempt(target).run(() => this.#rollBack(target, projectId));
    await Promise.all([this.history(projectId).refresh(), this.#refreshInspections()]);
    return done?.changesetId ?? null;
  }

  async settle(change: Changeset): Promise<boolean> {
    const settled = await this.settling.run(() => this.#connect().change_settle({ changesetId: change.changesetId }));
    await Promise.all([this.history(change.projectId).refresh(), this.#refreshInspections()]);
    return settled !== undefined;
  }

  async #inspect(changesetId: string): Promise<Inspection> {
    const inspection = await this.#connect().change_inspect({ changesetId });
    if (!inspection.files.some((file) => file.diffTruncated)) {
      const counted = countDiff(inspection.files.flatMap((file) => parseDiff(file.diff)));
      this.counts = { ...this.counts, [changesetId]: counted };
    }
    return inspection;
  }

  async #rollBack(changesetId: string, projectId: string): Promise<{ changesetId: string }> {
    const idempotencyKey = (this.#keys[changesetId] ??= freshKey());
    try {
      const receipt = await this.#connect(projectId).rollback_changes({ changesetId, idempotencyKey });
      delete this.#keys[changesetId];
      return receipt;
    } catch (thrown) {
      if (!(thrown instanceof LinkLost)) delete this.#keys[changesetId];
      throw thrown;
    }
  }

  async #loadHistory(projectId: string): Promise<readonly Changeset[]> {
    const { changesets } = await this.#connect(projectId).change_history({ limit: HISTORY });
    this.byId = { ...this.byId, ...Object.fromEntries(changesets.map((change) => [change.changesetId, change])) };
    return changesets;
  }

  #refreshTouched(): void {
    const projects = this.#touched.filter((projectId, index, all) => all.indexOf(projectId) === index);
    this.#touched = [];
    for (const projectId of projects) void this.history(projectId).refresh();
    void this.#refreshInspections();
  }

  /** What was looked at before may have a later change or an undo now. Only what a view shows is asked again. */
  async #refreshInspections(): Promise<void> {
    await Promise.all(this.#watched.map((changesetId) => this.inspection(changesetId).refresh()));
  }
}

/** 128 random bits. The browser's own UUIDs are withheld where the address is not secure. */
function freshKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `undo_${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
