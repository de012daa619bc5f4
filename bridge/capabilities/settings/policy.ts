// What the owner's choices leave of a caller's rights: pure, and only ever less than the caller was given.
import { actionOf, type OperationContract, type Scope } from '#shared/contract.ts';
import type { AccessMode, Ceiling, Egress, Right, Trust } from '#shared/contracts/settings.ts';
import type { Caller, CallerKind, ProjectHandle } from '../../operation.ts';

/** What is chosen for one project, as it counts for the folder where it now stands. */
export interface Chosen {
  ceiling: Ceiling;
  trust: Trust;
  profiles: readonly string[] | null;
  egress: Egress;
}

type Place = Pick<ProjectHandle, 'projectId' | 'workspaceId'>;

const ceilings: Record<Ceiling, readonly Scope[]> = { read: ['read'], edit: ['read', 'write'], full: ['read', 'write', 'exec'] };
/** No kind but the owner ever holds the owner's scope; a viewer looks. */
const kinds: Record<CallerKind, readonly Scope[]> = {
  owner: ['read', 'write', 'exec', 'owner'],
  client: ceilings.full,
  stdio: ceilings.full,
  agent: ceilings.full,
  plugin: ceilings.full,
  viewer: ceilings.read,
};

const intersect = (scopes: ReadonlySet<Scope>, allowed: readonly Scope[]): ReadonlySet<Scope> =>
  new Set(allowed.filter((scope) => scopes.has(scope)));

/** In managed mode a caller without a list of projects has at most the one it was started in: what is registered is not thereby given. */
export function narrowCaller(caller: Caller, mode: AccessMode): Caller {
  const scopes = intersect(caller.scopes, kinds[caller.kind]);
  const isListed = caller.kind === 'owner' || mode === 'personal' || caller.projectIds !== null;
  return { ...caller, scopes, projectIds: isListed ? caller.projectIds : new Set(caller.homeId === undefined ? [] : [caller.homeId]) };
}

export function narrowIn(caller: Caller, ceiling: Ceiling): Caller {
  return caller.kind === 'owner' ? caller : { ...caller, scopes: intersect(caller.scopes, ceilings[ceiling]) };
}

const ranks: Record<Trust, number> = { inspect: 0, edit: 1, trusted: 2 };

/** The trust that such a call needs to run unasked. Reading, planning and steering what runs need none. */
export function trustFor(contract: OperationContract, input: Record<string, unknown>): Trust {
  const action = actionOf(contract, input);
  if (action === 'read' || action === 'plan' || action === 'control') return 'inspect';
  return contract.scope === 'exec' ? 'trusted' : 'edit';
}

export const isTrusted = (trust: Trust, needed: Trust): boolean => ranks[trust] >= ranks[needed];

/** What one caller may do in one project, for the owner's eyes. */
export function rightOf(caller: Caller, place: Place, { mode, chosen }: { mode: AccessMode; chosen: Chosen }): Right {
  const admitted = narrowCaller(caller, mode);
  const isAdmitted = admitted.projectIds === null || admitted.projectIds.has(place.projectId);
  const scopes = isAdmitted ? [...narrowIn(admitted, chosen.ceiling).scopes] : [];
  const trust = mode === 'personal' ? 'trusted' : chosen.trust;
  // What a program does cannot be taken back, so each one is asked for, however a project is trusted.
  const asked = scopes.filter((scope) => scope === 'exec' || !isTrusted(trust, scope === 'write' ? 'edit' : 'inspect'));
  return { scopes, asked };
}
