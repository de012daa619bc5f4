// Which projects are in use: each call holds one while it runs, so that nothing is taken away under it, and only so many at once.
import { Failed } from '../../failed.ts';

/** How many projects besides the sessions' own may be in use at one time. */
export const SECONDARY_MAX = 16;

export interface Leases {
  /** Until the answer is called. Throws RESOURCE_LIMIT when too many other projects are in use. */
  take(projectId: string, isSecondary: boolean): () => void;
  /** How many hold the project. */
  held(projectId: string): number;
}

interface Use {
  holders: number;
  /** How many of them came from outside the project's own sessions. */
  secondary: number;
}

export function createLeases(secondaryMax = SECONDARY_MAX): Leases {
  const uses = new Map<string, Use>();

  function requireRoom(projectId: string): void {
    if ((uses.get(projectId)?.secondary ?? 0) > 0) return;
    if ([...uses.values()].filter(({ secondary }) => secondary > 0).length < secondaryMax) return;
    throw new Failed('RESOURCE_LIMIT', `Already ${secondaryMax} other projects are in use. Nothing was done.`, { retryable: true });
  }

  return {
    take(projectId, isSecondary) {
      if (isSecondary) requireRoom(projectId);
      const use = uses.get(projectId) ?? { holders: 0, secondary: 0 };
      uses.set(projectId, use);
      const counts = isSecondary ? 1 : 0;
      use.holders += 1;
      use.secondary += counts;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        use.holders -= 1;
        use.secondary -= counts;
        if (use.holders === 0) uses.delete(projectId);
      };
    },
    held: (projectId) => uses.get(projectId)?.holders ?? 0,
  };
}
