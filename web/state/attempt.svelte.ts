// One thing the owner is doing: at most once at a time, with the reason kept when it did not work.
import { untrack } from 'svelte';
import { problemOf, type Problem } from '../link/problem.ts';

export class Attempt {
  isBusy = $state(false);
  problem = $state.raw<Problem | null>(null);

  /** Runs the work unless it runs already. Answers undefined when it did not work; the problem says why. */
  run<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    return untrack(() => this.#run(work));
  }

  async #run<Value>(work: () => Promise<Value>): Promise<Value | undefined> {
    if (this.isBusy) return undefined;
    this.isBusy = true;
    this.problem = null;
    try {
      return await work();
    } catch (thrown) {
      this.problem = problemOf(thrown);
      return undefined;
    } finally {
      this.isBusy = false;
    }
  }
}
