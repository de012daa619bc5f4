// Which tools one client is shown. It changes what is listed, never what is allowed.
import { compactNames, DISCOVER, gatewayOf, hybridDirect, OVERVIEW, subagentOperations } from '#shared/surfaces.ts';
import type { Operation } from '../operation.ts';

export type Surface = 'full' | 'compact' | 'hybrid';
export type Transport = 'stdio' | 'http';

export interface Exposure {
  surface: Surface;
  /** Hidden by the owner from the compact and the hybrid surface. */
  hidden: readonly string[];
  hasSubagents: boolean;
}

/** What the owner chose; the settings implement it. */
export interface Choice {
  toolSurface: Surface | null;
  hiddenOperations: readonly string[];
  exposeSubagents: boolean;
}

/** HTTP clients are many and pay for every byte of the list; a pipe has one client that works with all of it. */
const defaults: Record<Transport, Surface> = { http: 'compact', stdio: 'full' };

/** What was said for this run goes before the owner's setting, and that before the transport's default. */
export const exposureOf = (transport: Transport, told: Surface | null, choice: Choice): Exposure => ({
  surface: told ?? choice.toolSurface ?? defaults[transport],
  hidden: choice.hiddenOperations,
  hasSubagents: choice.exposeSubagents,
});

/** The operations that are tools of their own, in the order in which they are listed. */
export function directOf(operations: readonly Operation[], exposure: Exposure): Operation[] {
  const offered = operations.filter(({ contract }) => contract.scope !== 'owner');
  if (exposure.surface === 'full') return offered.filter(({ name }) => name !== DISCOVER && isShown(name, exposure));
  const alone = offered.filter(({ name }) => name === OVERVIEW || name === DISCOVER);
  if (exposure.surface === 'compact') return alone;
  const direct = hybridDirect.flatMap((name) => offered.filter((one) => one.name === name && isCarried(one.name, exposure)));
  return [...alone, ...direct];
}

/** What a gateway carries for this client. */
export const isCarried = (name: string, exposure: Exposure): boolean => isShown(name, exposure) && !exposure.hidden.includes(name);

const isShown = (name: string, { hasSubagents }: Exposure): boolean => hasSubagents || !subagentOperations.has(name);

/** Throws when an operation could be reached through no tool of the compact surface. */
export function requireReachable(operations: readonly Operation[]): void {
  for (const { name, contract } of operations)
    if (contract.scope !== 'owner' && !compactNames.includes(name) && gatewayOf(name) === undefined)
      throw new Error(`${name} is behind no gateway, so that most clients could never call it.`);
}
