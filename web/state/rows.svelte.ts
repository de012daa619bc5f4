// Which rows of a long list are drawn: those in view, a few around them, and the one that has the focus.

const OVERSCAN = 8;

export class Rows {
  scrollTop = $state(0);
  viewHeight = $state(0);
  rowHeight = $state(38);
  /** The row that has the focus stays drawn wherever the list is scrolled. */
  focused = $state<number | null>(null);
  readonly #count: () => number;

  constructor(count: () => number) {
    this.#count = count;
  }

  readonly first: number = $derived.by(() => Math.max(0, Math.floor(this.scrollTop / this.rowHeight) - OVERSCAN));
  readonly last: number = $derived.by(() =>
    Math.min(this.#count() - 1, Math.ceil((this.scrollTop + this.viewHeight) / this.rowHeight) + OVERSCAN),
  );
  readonly drawn: readonly number[] = $derived.by(() => {
    const rows = Array.from({ length: Math.max(0, this.last - this.first + 1) }, (_, step) => this.first + step);
    const { focused } = this;
    return focused === null || focused >= this.#count() || rows.includes(focused) ? rows : [...rows, focused];
  });

  /** Where to scroll so that a row is whole in view; null when it is. */
  scrollFor(index: number): number | null {
    const top = index * this.rowHeight;
    if (top < this.scrollTop) return top;
    const bottom = top + this.rowHeight;
    return bottom > this.scrollTop + this.viewHeight ? bottom - this.viewHeight : null;
  }
}
