// Short words about what was just done, with the way back. Success leaves by itself unless it is being looked at; a failure stays until it was read.
import type { Problem } from '../link/problem.ts';

export interface Notice {
  id: number;
  text: string;
  problem: Problem | null;
  action: NoticeAction | null;
}

export interface NoticeAction {
  label: string;
  run: () => void;
  /** Whether there is still something to do. Where it is told and is not so any more, the notice leaves. */
  isOpen?: () => boolean;
}

export const SHOWN_MS = 8000;
export const NOTICES_MAX = 2;
/** Failures that nobody closes are not kept without end. */
const KEPT_MAX = 30;

const isOpen = ({ action }: Notice): boolean => action?.isOpen?.() ?? true;

export class Notices {
  /** The newest ones. A failure that newer words cover is shown again when they have left. */
  readonly shown: readonly Notice[] = $derived.by(() => this.#open.slice(-NOTICES_MAX));
  /** How many newer ones cover. */
  readonly covered: number = $derived.by(() => this.#open.length - this.shown.length);
  #all = $state.raw<readonly Notice[]>([]);
  readonly #open: readonly Notice[] = $derived.by(() => this.#all.filter(isOpen));
  #timers: Record<number, ReturnType<typeof setTimeout>> = {};
  #isHeld = false;
  #last = 0;

  say(text: string, action: Notice['action'] = null): void {
    this.#leaveLater(this.#add({ text, problem: null, action }));
  }

  fail(text: string, problem: Problem): void {
    this.#add({ text, problem, action: null });
  }

  close(id: number): void {
    clearTimeout(this.#timers[id]);
    delete this.#timers[id];
    this.#all = this.#all.filter((notice) => notice.id !== id);
  }

  /** While a hand or the focus is on them, none leaves; afterwards each has its whole time again. */
  hold(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    for (const timer of Object.values(this.#timers)) clearTimeout(timer);
    this.#timers = {};
    if (!isHeld) for (const notice of this.#all) if (notice.problem === null) this.#leaveLater(notice.id);
  }

  #leaveLater(id: number): void {
    if (!this.#isHeld) this.#timers[id] = setTimeout(() => this.close(id), SHOWN_MS);
  }

  /** The same words twice are one notice, the newest. */
  #add(notice: Omit<Notice, 'id'>): number {
    const id = ++this.#last;
    for (const same of this.#all.filter(({ text }) => text === notice.text)) this.close(same.id);
    this.#all = [...this.#all, { ...notice, id }].slice(-KEPT_MAX);
    return id;
  }
}
