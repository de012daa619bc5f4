// What Activity lists: the whole account by position, or what a search found. It holds still while the reader is away from the top.
import { untrack } from 'svelte';
import type { Events } from './events.svelte.ts';
import { rowsAmong } from './folds.ts';
import type { Line } from './line.ts';
import { isEverything, type Wanted } from './matching.ts';
import type { Search } from './search.svelte.ts';

const SETTLE_MS = 60;
/** Browsers give up on very tall pages; older lines are found by search. */
const ROWS_MAX = 250_000;

export class Timeline {
  readonly #events: Events;
  readonly #search: Search;
  /** The newest position shown while held; null follows the head. */
  #heldAt = $state<number | null>(null);
  #settling: ReturnType<typeof setTimeout> | undefined;

  constructor(events: Events, search: Search) {
    this.#events = events;
    this.#search = search;
  }

  readonly isFiltered: boolean = $derived.by(() => this.#search.wanted !== null);
  readonly #top: number = $derived.by(() => this.#heldAt ?? this.#events.head);
  readonly #found: readonly Line[] = $derived.by(() => rowsAmong(this.#search.found));
  /** Found lines from the held one down. */
  readonly #shown: readonly Line[] = $derived.by(() => {
    const top = this.#top;
    return this.#found.filter((line) => line.position <= top);
  });
  readonly #rows: number = $derived.by(() => this.#events.folds.rowsTo(this.#top));
  readonly count: number = $derived.by(() => (this.isFiltered ? this.#shown.length : Math.min(this.#rows, ROWS_MAX)));
  readonly isLimited: boolean = $derived.by(() => !this.isFiltered && this.#rows > ROWS_MAX);
  /** Rows that wait above. */
  readonly above: number = $derived.by(() =>
    this.isFiltered ? this.#found.length - this.#shown.length : this.#events.folds.rowsTo(this.#events.head) - this.#rows,
  );

  positionAt(index: number): number {
    return this.isFiltered ? (this.#shown[index]?.position ?? 0) : this.#events.folds.positionAt(this.#top, index);
  }

  rowAt(index: number): Line | undefined {
    if (this.isFiltered) return this.#shown[index];
    const event = this.#events.at(this.positionAt(index));
    return event === undefined ? undefined : this.#events.row(event);
  }

  /** The rows in view, by index; what is missing of them is fetched. */
  show(first: number, last: number): void {
    clearTimeout(this.#settling);
    if (this.isFiltered) return;
    const range = { from: Math.max(1, this.positionAt(last)), to: this.positionAt(first) };
    // Rows that fly past are not fetched.
    this.#settling = setTimeout(() => this.#events.want(range), SETTLE_MS);
  }

  hold(isHeld: boolean): void {
    this.#heldAt = isHeld ? untrack(() => this.#heldAt ?? this.#events.head) : null;
  }

  filter(wanted: Wanted): void {
    untrack(() => {
      const next = isEverything(wanted) ? null : wanted;
      if (JSON.stringify(this.#search.wanted) === JSON.stringify(next)) return;
      this.#heldAt = null;
      this.#search.begin(next, this.#events.head);
    });
  }
}
