// The account as this browser knows it: the ledger made reactive. Lines arrive in bursts and are shown in batches.
import type { BridgeEvent, RunningCall, ServerFrame } from '#shared/events.ts';
import type { Connect } from '../link/client.ts';
import { problemOf, type Problem } from '../link/problem.ts';
import type { Folds } from './folds.ts';
import { Ledger } from './ledger.ts';
import { rowOf, type Line } from './line.ts';

/** What Now looks at. Always fetched; anything older only when a view asks. */
const RECENT = 200;
const BATCH_MS = 40;

export interface Range {
  from: number;
  to: number;
}

export class Events {
  head = $state(0);
  running = $state.raw<RunningCall[]>([]);
  /** Why lines that a view asked for are not here; null when they are, or are on their way. */
  problem = $state.raw<Problem | null>(null);
  /** The bridge could not go on where this page stopped. */
  hasGap = $state(false);
  epoch: string | null = null;
  /** The newest lines, newest first, without a hole. */
  readonly recent: readonly BridgeEvent[] = $derived.by(() => {
    void this.#version;
    return this.#ledger.newest(RECENT);
  });
  /** The newest lines as rows: one act, one row. */
  readonly recentRows: readonly Line[] = $derived.by(() =>
    this.recent.filter((event) => !this.folds.has(event.position)).map((event) => this.row(event)),
  );
  readonly #connect: Connect;
  readonly #ledger = new Ledger();
  #listeners: readonly ((batch: readonly BridgeEvent[]) => void)[] = [];
  #version = $state(0);
  #batch: BridgeEvent[] = [];
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The last line that came through the link: where a new link goes on. */
  #reached = 0;
  /** The head that the link named when it opened. What has not come by the next batch is fetched. */
  #promised = 0;
  #view: Range | null = null;
  /** The one line an inspector shows. */
  #inspected = 0;
  #isFilling = false;

  constructor(connect: Connect) {
    this.#connect = connect;
  }

  /** Learns where the account stands; false when the bridge did not say. Lines come through the link and through `want` from then on. */
  async begin(): Promise<boolean> {
    try {
      const { events, head, epoch } = await this.#connect().event_list({ limit: RECENT });
      this.#ledger.head = Math.max(this.#ledger.head, head);
      for (const event of events) this.#ledger.add(event);
      this.#reached = this.#ledger.head;
      this.epoch = epoch;
      this.problem = null;
      this.#changed();
      return true;
    } catch (thrown) {
      this.problem = problemOf(thrown);
      return false;
    }
  }

  receive(frame: ServerFrame): void {
    if (frame.type === 'running') this.running = frame.calls;
    else if (frame.type === 'hello') this.#greeted(frame);
    else {
      this.#batch.push(frame.event);
      this.#flushSoon();
    }
  }

  cursor(): { after: number; epoch: string | null } {
    this.#flush();
    return { after: this.#reached, epoch: this.epoch };
  }

  at(position: number): BridgeEvent | undefined {
    void this.#version;
    return this.#ledger.at(position);
  }

  get folds(): Folds {
    void this.#version;
    return this.#ledger.folds;
  }

  /** A line with what it tells of the lines folded into it. */
  row(event: BridgeEvent): Line {
    return rowOf(
      event,
      this.folds.of(event.position).flatMap((position) => this.at(position) ?? []),
    );
  }

  /** Fetches what is missing of what a view shows. The newest wish replaces an older one. */
  want(range: Range | null): void {
    this.#view = range;
    void this.#fill();
  }

  /** Fetches one line, for as long as no other is inspected. */
  inspect(position: number): void {
    this.#inspected = position;
    void this.#fill();
  }

  /** Hears of each line that is newer than this page, in batches. */
  onNew(listener: (batch: readonly BridgeEvent[]) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((known) => known !== listener);
    };
  }

  #greeted(hello: Extract<ServerFrame, { type: 'hello' }>): void {
    this.epoch = hello.epoch;
    if (hello.gap) this.hasGap = true;
    if (hello.gap || hello.head < this.#ledger.head) this.#startOver(hello.head);
    this.#promised = hello.head;
    this.running = [];
    this.#changed();
    void this.#fill();
    this.#flushSoon();
  }

  /** The account behind the link is another one. */
  #startOver(head: number): void {
    this.#batch = [];
    this.#ledger.clear(head);
    this.#reached = head;
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const fresh = this.#batch.splice(0).filter((event) => {
      this.#reached = Math.max(this.#reached, event.position);
      return this.#ledger.add(event);
    });
    const isBehind = this.#promised > this.#ledger.head;
    if (isBehind) this.#ledger.head = this.#promised;
    if (fresh.length === 0 && !isBehind) return;
    this.#changed();
    this.#tell(fresh);
    void this.#fill();
  }

  #tell(fresh: readonly BridgeEvent[]): void {
    if (fresh.length > 0) for (const listener of this.#listeners) listener(fresh);
  }

  #changed(): void {
    this.head = this.#ledger.head;
    this.#version += 1;
  }

  #hole() {
    const { head } = this.#ledger;
    const inspected = { from: this.#inspected, to: this.#inspected };
    const wanted = [inspected, this.#view, { from: head - RECENT + 1, to: head }];
    const holes = wanted.map((range) => (range === null || range.to < 1 ? null : this.#ledger.hole(range.from, range.to)));
    return holes.find((hole) => hole !== null) ?? null;
  }

  async #fill(): Promise<void> {
    if (this.#isFilling) return;
    this.#isFilling = true;
    try {
      for (let hole = this.#hole(); hole !== null; hole = this.#hole()) {
        const { events } = await this.#connect().event_list(hole);
        const fresh = events.filter((event) => this.#ledger.add(event));
        this.#changed();
        this.#tell(fresh.filter((event) => event.position > this.#reached));
        if (fresh.length === 0) break; // The bridge has no such line: asking again would not bring it.
      }
      this.problem = null;
    } catch (thrown) {
      this.problem = problemOf(thrown);
    } finally {
      this.#isFilling = false;
    }
  }
}
