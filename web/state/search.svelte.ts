// A search through the whole account, newest first, in steps that leave the page responsive and say how far they are.
import type { BridgeEvent } from '#shared/events.ts';
import type { Connect } from '../link/client.ts';
import { problemOf, type Problem } from '../link/problem.ts';
import { matches, type Wanted } from './matching.ts';

const STEP = 500;
/** A search pauses here and goes on when it is told to. */
const LINES_AT_ONCE = 20_000;
const FOUND_AT_ONCE = 500;

export class Search {
  wanted = $state.raw<Wanted | null>(null);
  /** Newest first. */
  found = $state.raw<readonly BridgeEvent[]>([]);
  scanned = $state(0);
  total = $state(0);
  isScanning = $state(false);
  problem = $state.raw<Problem | null>(null);
  readonly #connect: Connect;
  /** Where the search began: lines above it come by themselves, in any order. */
  #begunAt = 0;
  #lowest = $state(1);
  readonly isDone: boolean = $derived(this.#lowest <= 1);
  /** Names the search under way: an answer to an older one is dropped. */
  #run = 0;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** Begins anew from the head of the account; null ends the search. */
  begin(wanted: Wanted | null, head: number): void {
    this.#run += 1;
    this.wanted = wanted;
    this.found = [];
    this.scanned = 0;
    this.total = head;
    this.#begunAt = head;
    this.#lowest = head + 1;
    this.isScanning = false;
    this.problem = null;
    if (wanted !== null) void this.more();
  }

  stop(): void {
    this.#run += 1;
    this.isScanning = false;
  }

  /** Goes on towards older lines until enough are found, enough are read, or none is left. */
  async more(): Promise<void> {
    if (this.wanted === null || this.isScanning) return;
    const run = ++this.#run;
    const [lowest, found] = [this.#lowest, this.found.length];
    this.isScanning = true;
    try {
      while (run === this.#run && !this.isDone && lowest - this.#lowest < LINES_AT_ONCE && this.found.length - found < FOUND_AT_ONCE)
        await this.#step(run, this.wanted);
    } catch (thrown) {
      if (run === this.#run) this.problem = problemOf(thrown);
    } finally {
      if (run === this.#run) this.isScanning = false;
    }
  }

  /** Takes in lines that arrived meanwhile, once; one that was late goes below one that was not. */
  add(batch: readonly BridgeEvent[]): void {
    const { wanted } = this;
    if (wanted === null) return;
    const isNew = ({ position }: BridgeEvent) => position > this.#begunAt && !this.found.some((known) => known.position === position);
    const fresh = batch.filter((event) => matches(event, wanted) && isNew(event));
    this.total = Math.max(this.total, ...batch.map((event) => event.position));
    this.scanned += batch.length;
    if (fresh.length > 0) this.found = [...fresh, ...this.found].sort((left, right) => right.position - left.position);
  }

  async #step(run: number, wanted: Wanted): Promise<void> {
    const project = wanted.projectId === '' ? {} : { projectId: wanted.projectId };
    const { events } = await this.#connect().event_list({ before: this.#lowest, limit: STEP, ...project });
    if (run !== this.#run) return;
    const hits = events.filter((event) => matches(event, wanted));
    if (hits.length > 0) this.found = [...this.found, ...hits];
    const reached = events.length < STEP ? 1 : (events.at(-1)?.position ?? 1);
    this.scanned += this.#lowest - reached;
    this.#lowest = reached;
  }
}
