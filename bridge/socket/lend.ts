// A process that owns the state folder and has no console opens one for another process that asks, for as long as that one stays.
import { Fatal } from '../failed.ts';
import type { ConsoleWish } from './hello.ts';

/** Where the console is and what it shows, as whoever asked for it tells its user. */
export interface ConsoleFacts {
  mcpUrl: string | null;
  consoleUrl: string | null;
  ownerLink: string;
  projects: { projectId: string; root: string }[];
}

export interface Lent {
  facts: ConsoleFacts;
  close(): Promise<void>;
}
export type Lend = (wish: ConsoleWish) => Promise<Lent>;

export interface LendParts {
  address: { consoleUrl: string | null };
  listen(where: Omit<ConsoleWish, 'roots'>): Promise<void>;
  unlisten(): Promise<void>;
  addProjects(roots: readonly string[]): Promise<void>;
  facts(): Promise<ConsoleFacts>;
  /** Says where the bridge listens now. */
  publish(): void;
}

export function createLend(parts: LendParts): Lend {
  let isTaken = false;
  const close = async () => {
    await parts.unlisten();
    parts.publish();
    isTaken = false;
  };
  return async ({ roots, ...where }) => {
    if (isTaken || parts.address.consoleUrl !== null) throw new Fatal(3, 'This bridge has a console already. Nothing was started.');
    isTaken = true;
    try {
      await parts.listen(where);
      await parts.addProjects(roots);
      parts.publish();
      return { facts: await parts.facts(), close };
    } catch (error) {
      await close();
      throw error;
    }
  };
}
