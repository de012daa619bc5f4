// Whether the account still contains what this browser saw of it. What was seen outlives a reload; an alarm stands until the owner answers it.
import type { BridgeEvent } from '#shared/events.ts';
import type { Connect } from '../link/client.ts';
import { Attempt } from './attempt.svelte.ts';

export interface SeenHead {
  position: number;
  hash: string;
  at: number;
}

export interface Alarm {
  brokenAt: number | null;
  missing: SeenHead | null;
}

export interface Verdict {
  intact: boolean;
  checked: number;
  brokenAt: number | null;
  containsKnown: boolean | null;
  known: SeenHead | null;
  at: number;
}

const SAVE_MS = 1000;

export class Account {
  verdict = $state.raw<Verdict | null>(null);
  alarm = $state.raw<Alarm | null>(null);
  readonly verifying = new Attempt();
  readonly #connect: Connect;
  readonly #storage: Storage | null;
  #key: string | null = null;
  #unsaved: SeenHead | null = null;

  constructor(connect: Connect, storage: Storage | null) {
    this.#connect = connect;
    this.#storage = storage;
  }

  /** Another state folder is another account: what was seen is kept for each. */
  belongsTo(home: string): void {
    this.#key = `drawbridge.seen:${home}`;
  }

  async verify(): Promise<void> {
    await this.verifying.run(async () => {
      const known = this.#seen();
      const query = known === null ? {} : { knownPosition: known.position, knownHash: known.hash };
      const { intact, checked, brokenAt, containsKnown, head } = await this.#connect().event_verify(query);
      this.verdict = { intact, checked, brokenAt, containsKnown, known, at: Date.now() };
      const missing = containsKnown === false ? known : null;
      this.alarm = intact && missing === null ? null : { brokenAt, missing };
      if (this.alarm === null && head.position > 0) this.#save({ ...head, at: Date.now() });
    });
  }

  /** Remembers the newest line. While an alarm stands, what it is about must not be forgotten. */
  saw(event: BridgeEvent): void {
    if (this.alarm !== null || this.verdict === null) return;
    const isWaiting = this.#unsaved !== null;
    this.#unsaved = { position: event.position, hash: event.hash, at: Date.now() };
    if (!isWaiting) setTimeout(() => this.#saveLatest(), SAVE_MS);
  }

  /** The owner says that this account is the one to go on with. */
  accept(newest: BridgeEvent | undefined): void {
    this.alarm = null;
    if (newest === undefined) this.#forget();
    else this.#save({ position: newest.position, hash: newest.hash, at: Date.now() });
  }

  #seen(): SeenHead | null {
    const text = this.#key === null ? null : (this.#storage?.getItem(this.#key) ?? null);
    if (text === null) return null;
    const seen = JSON.parse(text) as SeenHead;
    return Number.isInteger(seen.position) && typeof seen.hash === 'string' ? seen : null;
  }

  #saveLatest(): void {
    if (this.#unsaved !== null && this.alarm === null) this.#save(this.#unsaved);
    this.#unsaved = null;
  }

  #save(seen: SeenHead): void {
    if (this.#key !== null) this.#storage?.setItem(this.#key, JSON.stringify(seen));
  }

  #forget(): void {
    if (this.#key !== null) this.#storage?.removeItem(this.#key);
  }
}
