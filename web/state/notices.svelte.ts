// Short words about what was just done, with the way back. Success goes by itself; a failure stays until it was read.
import type { Problem } from '../link/problem.ts';

export interface Notice {
  id: number;
  text: string;
  problem: Problem | null;
  action: { label: string; run: () => void } | null;
}

const SHOWN_MS = 10_000;
const NOTICES_MAX = 4;

export class Notices {
  list = $state.raw<readonly Notice[]>([]);
  #last = 0;

  say(text: string, action: Notice['action'] = null): void {
    const notice = this.#add({ text, problem: null, action });
    setTimeout(() => this.close(notice), SHOWN_MS);
  }

  fail(text: string, problem: Problem): void {
    this.#add({ text, problem, action: null });
  }

  close(id: number): void {
    this.list = this.list.filter((notice) => notice.id !== id);
  }

  #add(notice: Omit<Notice, 'id'>): number {
    const id = ++this.#last;
    this.list = [...this.list, { ...notice, id }].slice(-NOTICES_MAX);
    return id;
  }
}
