// Whether a change is in effect, and the one thing to do with it now. An undo and the undo of an undo are turns of one change, which has one state.
import type { Changeset } from '#shared/contracts/changes.ts';

/** What the button of a change does now: `target` is the change that is taken back by it. */
export interface Turn {
  isRedo: boolean;
  target: string;
  projectId: string;
}

export type ChangesById = Readonly<Record<string, Changeset>>;

/** The change that turns are about in the end, as far back as it is known. */
export function originOf(change: Changeset, byId: ChangesById): Changeset {
  const before = change.undoes === null ? undefined : byId[change.undoes];
  return before === undefined ? change : originOf(before, byId);
}

/** What can be done with a change now; null when it is not known, was not made, or is a turn that no longer counts. */
export function turnOf(change: Changeset | undefined, byId: ChangesById): Turn | null {
  if (change?.status !== 'committed') return null;
  const origin = originOf(change, byId);
  if (change.undoes !== null && (change.undoneBy !== null || takesBack(change, byId) !== isGone(origin, byId))) return null;
  return {
    isRedo: isGone(origin, byId),
    target: origin.undoneBy ?? (isTurn(origin) ? change : origin).changesetId,
    projectId: change.projectId,
  };
}

/** The same for a row of a list, where one change offers one button: turns leave it to the change they are about. */
export function rowTurnOf(change: Changeset | undefined, byId: ChangesById): Turn | null {
  if (change === undefined) return null;
  const origin = originOf(change, byId);
  return origin !== change && !isTurn(origin) ? null : turnOf(change, byId);
}

/** Whether what a button offered is still to be done: nothing else has undone or redone it meanwhile. */
export function isStillOpen({ isRedo, target }: Turn, byId: ChangesById): boolean {
  const change = byId[target];
  if (change === undefined) return true;
  return change.status === 'committed' && change.undoneBy === null && isGone(originOf(change, byId), byId) === isRedo;
}

const isTurn = (change: Changeset): boolean => change.undoes !== null;

/** Whether the change that an origin stands for is not in effect. */
const isGone = (origin: Changeset, byId: ChangesById): boolean => takesBack(origin, byId) !== (origin.undoneBy !== null);

/** An undo takes back; the undo of an undo does not. */
function takesBack(change: Changeset, byId: ChangesById): boolean {
  if (change.undoes === null) return false;
  const before = byId[change.undoes];
  return before === undefined || !takesBack(before, byId);
}
