// Who may do what, over every contract there is: the exact code for each caller, mode and missing right. No row names an operation.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OperationContract, Scope } from '#shared/contract.ts';
import { contracts } from '#shared/contracts.ts';
import type { CallContext } from '#shared/envelope.ts';
import { Failed } from './failed.ts';
import type { Caller, CallerKind } from './operation.ts';
import { rightsWorld, type RightsWorld } from './testing/rights-world.ts';
import { sampleInput } from './testing/sample.ts';

const kinds: CallerKind[] = ['owner', 'client', 'stdio', 'agent', 'viewer', 'plugin'];
const modes = ['personal', 'managed'] as const;
type Mode = (typeof modes)[number];
const lacks = ['nothing', 'credential', 'scope', 'project', 'list', 'ceiling', 'trust', 'context', 'epoch'] as const;
type Lack = (typeof lacks)[number];

/** What a probe answers: the call got past every right to the handler. */
const REACHED = 'NOT_SUPPORTED';
const all: readonly Scope[] = ['read', 'write', 'exec', 'owner'];
const operations = Object.entries(contracts) as [string, OperationContract][];

let here: RightsWorld;
beforeEach(async () => void (here = await rightsWorld()));
afterEach(() => here[Symbol.asyncDispose]());

/** The contract of rights in words of its own, in the order in which a caller learns of them. */
function expected(
  { scope, context, action }: OperationContract,
  kind: CallerKind,
  { mode, lack, isDry }: { mode: Mode; lack: Lack; isDry: boolean },
): string {
  if (lack === 'credential') return 'AUTH_REQUIRED';
  if (lack === 'scope') return 'FORBIDDEN';
  if (kind === 'owner') return REACHED;
  if (scope === 'owner' || (kind === 'viewer' && scope !== 'read')) return 'FORBIDDEN';
  if (lack === 'project' || (lack === 'list' && mode === 'managed')) return 'WORKSPACE_ACCESS_REQUIRED';
  if (lack === 'ceiling' && scope !== 'read') return 'FORBIDDEN';
  if (lack === 'context' && context === 'workspace') return 'WORKSPACE_MISMATCH';
  if (lack === 'epoch' && context === 'workspace') return 'STALE_WORKSPACE';
  const needsTrust = !isDry && action !== 'read' && action !== 'plan' && action !== 'control';
  return lack === 'trust' && mode === 'managed' && needsTrust ? 'APPROVAL_REQUIRED' : REACHED;
}

function callerFor(kind: CallerKind, name: string, { lack, scope }: { lack: Lack; scope: Scope }): () => Caller {
  const everywhere = kind === 'owner' || lack === 'list';
  const projectIds = everywhere ? null : new Set([lack === 'project' ? 'prj_00000000' : here.project.projectId]);
  const scopes = new Set(all.filter((one) => lack !== 'scope' || one !== scope));
  return () => {
    if (lack === 'credential') throw new Failed('AUTH_REQUIRED', 'no');
    return { kind, principal: `${kind}:${name}`, name: kind, scopes, projectIds };
  };
}

function contextFor(lack: Lack): CallContext {
  const { projectId: targetProjectId, workspaceId, epoch } = here.project;
  if (lack === 'context') return { targetProjectId };
  return { targetProjectId, workspaceId, workspaceEpoch: lack === 'epoch' ? 'ep_old' : epoch };
}

describe('rights', () => {
  it.each(modes.flatMap((mode) => kinds.map((kind) => [kind, mode] as const)))(
    'every operation called by %s in %s mode answers each missing right with its own code',
    async (kind, mode) => {
      const found: Record<string, string> = {};
      const wanted: Record<string, string> = {};
      for (const lack of lacks) {
        const trust = lack === 'trust' ? 'inspect' : 'trusted';
        for (const [name, contract] of operations) {
          const { scope } = contract;
          const ceiling = lack === 'ceiling' ? (scope === 'exec' ? 'edit' : 'read') : 'full';
          await here.choose({ mode, trust, ceiling });
          const input = sampleInput(contract);
          const isDry = contract.input.parse(input)['dryRun'] === true;
          const caller = callerFor(kind, name, { lack, scope });
          found[`${name} without ${lack}`] = await here.call(name, { input, caller, context: contextFor(lack) });
          wanted[`${name} without ${lack}`] = expected(contract, kind, { mode, lack, isDry });
        }
      }
      expect(found).toEqual(wanted);
    },
  );

  it('reach the handler only where the code says so', async () => {
    await here.choose({ mode: 'managed', trust: 'inspect', ceiling: 'read' });
    here.reached.length = 0;
    for (const [name, contract] of operations) {
      const caller = callerFor('client', name, { lack: 'nothing', scope: contract.scope });
      const code = await here.call(name, { input: sampleInput(contract), caller, context: contextFor('nothing') });
      expect([name, here.reached.splice(0)]).toEqual([name, code === REACHED ? [name] : []]);
    }
  });
});
