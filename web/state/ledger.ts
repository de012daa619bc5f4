// The lines seen so far, by position. Sparse: a line that was never delivered is a hole to fetch, so none can go missing unnoticed.
import type { BridgeEvent } from '#shared/events.ts';
import { Folds } from './folds.ts';

export const PAGE_SIZE = 200;
/** Pages kept in memory; the least recently touched ones are dropped and can be fetched again. */
const PAGES_MAX = 60;

export class Ledger {
  /** The highest position known to exist. Positions are one-based and gapless. */
  head = 0;
  /** Which of the lines seen so far are told by another one. */
  folds = new Folds();
  #pages = new Map<number, (BridgeEvent | undefined)[]>();

  /** Adds a line and says whether it was new. The same line twice is one line. */
  add(event: BridgeEvent): boolean {
    const page = this.#touch(pageOf(event.position)) ?? this.#open(pageOf(event.position));
    const slot = slotOf(event.position);
    const isNew = page[slot] === undefined;
    page[slot] = event;
    if (isNew) this.folds.see(event, (position) => this.at(position));
    this.head = Math.max(this.head, event.position);
    return isNew;
  }

  at(position: number): BridgeEvent | undefined {
    return this.#pages.get(pageOf(position))?.[slotOf(position)];
  }

  /** The first run of positions in [from, to] that is not known, cut to one page; null when all are. */
  hole(from: number, to: number): { after: number; limit: number } | null {
    const last = Math.min(to, this.head);
    for (let position = Math.max(1, from); position <= last; position += 1) {
      if (this.at(position) !== undefined) {
        this.#touch(pageOf(position));
        continue;
      }
      const end = Math.min(last, (pageOf(position) + 1) * PAGE_SIZE);
      return { after: position - 1, limit: end - position + 1 };
    }
    return null;
  }

  /** Known lines from the newest down, at most `limit`, ending at the first hole. */
  newest(limit: number): BridgeEvent[] {
    const lines: BridgeEvent[] = [];
    for (let position = this.head; position > 0 && lines.length < limit; position -= 1) {
      const event = this.at(position);
      if (event === undefined) break;
      lines.push(event);
    }
    return lines;
  }

  /** Forgets everything: the account behind it is another one. */
  clear(head: number): void {
    this.#pages.clear();
    this.folds = new Folds();
    this.head = head;
  }

  #touch(index: number): (BridgeEvent | undefined)[] | undefined {
    const page = this.#pages.get(index);
    if (page === undefined) return undefined;
    this.#pages.delete(index);
    this.#pages.set(index, page);
    return page;
  }

  #open(index: number): (BridgeEvent | undefined)[] {
    const page = new Array<BridgeEvent | undefined>(PAGE_SIZE);
    this.#pages.set(index, page);
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= PAGES_MAX) break;
      this.#pages.delete(oldest);
    }
    return page;
  }
}

const pageOf = (position: number): number => Math.floor((position - 1) / PAGE_SIZE);
const slotOf = (position: number): number => (position - 1) % PAGE_SIZE;
