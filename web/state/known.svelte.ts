// Something the bridge told, as last known: the value, when it was told, and why a newer one is missing.
import { untrack } from 'svelte';
import { problemOf, type Problem } from '../link/problem.ts';

export class Known<Value> {
  value = $state.raw<Value | null>(null);
  /** When the value was told, by this browser's clock. */
  at = $state<number | null>(null);
  /** Why the last attempt brought nothing; null when it did. */
  problem = $state.raw<Problem | null>(null);
  isLoading = $state(false);
  readonly #load: () => Promise<Value>;
  #isStale = false;

  constructor(load: () => Promise<Value>) {
    this.#load = load;
  }

  /** Asks anew. Requests made meanwhile become one more after it, so that the last one asked is always answered. */
  refresh(): Promise<void> {
    // Asking is not looking: an effect that asks must not run again because the answer came.
    return untrack(() => this.#refresh());
  }

  async #refresh(): Promise<void> {
    if (this.isLoading) {
      this.#isStale = true;
      return;
    }
    this.isLoading = true;
    try {
      do {
        this.#isStale = false;
        await this.#once();
      } while (this.#isStale);
    } finally {
      this.isLoading = false;
    }
  }

  set(value: Value): void {
    this.value = value;
    this.at = Date.now();
    this.problem = null;
  }

  async #once(): Promise<void> {
    try {
      this.set(await this.#load());
    } catch (thrown) {
      this.problem = problemOf(thrown);
    }
  }
}
