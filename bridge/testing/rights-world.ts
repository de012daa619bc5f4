// The real pipeline, registry, settings, grants and approvals over every contract, with a handler that only tells that it was reached.
import { contracts } from '#shared/contracts.ts';
import type { OperationContract } from '#shared/contract.ts';
import type { Ceiling, Trust } from '#shared/contracts/settings.ts';
import type { Envelope } from '#shared/envelope.ts';
import { silentLog } from '../base/log.ts';
import { atomically } from '../base/store/store.ts';
import { createAccess } from '../capabilities/access/service.ts';
import { createApprovals } from '../capabilities/approvals/service.ts';
import { createEvents } from '../capabilities/events/service.ts';
import { createGrants, type Grants } from '../capabilities/grants/service.ts';
import { createProjects } from '../capabilities/projects/service.ts';
import { createSettings, type Settings, type Wish } from '../capabilities/settings/service.ts';
import { Failed } from '../failed.ts';
import { createIdempotency } from '../invocation/idempotency.ts';
import { createInvoker, type Invocation } from '../invocation/invoke.ts';
import { createMutationQueue } from '../invocation/queue.ts';
import { createRunning } from '../invocation/running.ts';
import type { Operation, ProjectHandle } from '../operation.ts';
import { testState } from './state.ts';
import { workspace } from './workspace.ts';

type Made = Pick<Invocation, 'caller'> & Partial<Pick<Invocation, 'input' | 'context'>>;

export interface RightsWorld extends AsyncDisposable {
  project: ProjectHandle;
  settings: Settings;
  grants: Grants;
  access: ReturnType<typeof createAccess>;
  approvals: ReturnType<typeof createApprovals>;
  /** The operations whose handler was reached. */
  reached: string[];
  /** While set, a handler waits for it once it is reached. */
  hold: { until: Promise<void> } | null;
  choose(wish: { mode: 'personal' | 'managed'; trust: Trust; ceiling: Ceiling }): Promise<void>;
  /** Changes settings as the owner does, the confirmation given. */
  change(wish: Wish): Promise<void>;
  envelope(operation: string, made: Made): Promise<Envelope>;
  /** The code alone. */
  call(operation: string, made: Made): Promise<string>;
  /** How many calls wait or run. */
  phases(): string[];
}

export async function rightsWorld(): Promise<RightsWorld> {
  const state = testState();
  const folder = await workspace({ 'a.txt': 'a\n' });
  const { store, clock, home } = state;
  const events = createEvents({ store, clock });
  const projects = createProjects({ store, clock, events, home });
  const access = createAccess({ store, clock, events });
  const grants = createGrants({ store, clock, events });
  const settings = createSettings({
    ...{ store, clock, events, isHideable: () => true },
    projects: projects.list,
    callers: (ids) => [...access.callers(), ...ids.map((id) => access.stdioCaller(id))],
  });
  const approvals = createApprovals({ store, clock, events, grants, consoleUrl: () => null });
  const running = createRunning();
  const reached: string[] = [];
  const self: Pick<RightsWorld, 'hold'> = { hold: null };
  const probe = async (name: string) => {
    reached.push(name);
    await self.hold?.until;
    throw new Failed('NOT_SUPPORTED', 'The handler was reached.');
  };
  const operations = Object.entries(contracts).map(([name, contract]): Operation => ({
    name,
    contract: contract as OperationContract,
    run: () => probe(name),
  }));
  const invoke = createInvoker({
    ...{ operations, projects, events, approvals, grants, running, clock },
    policy: settings,
    idempotency: createIdempotency(store, clock),
    queue: createMutationQueue(),
    blobs: { put: async () => 'f'.repeat(64) },
    atomically: (durability, work) => atomically(store, durability, work),
    log: silentLog,
    limits: { requestBodyBytes: 1 << 20 },
  });
  const { project } = await projects.add(folder.root);
  const handle = await projects.open(project.projectId);
  const context = { workspaceId: handle.workspaceId, workspaceEpoch: handle.epoch };

  const change = changing(settings);
  const choose = choosing(settings, handle.projectId);
  const envelope = async (operation: string, made: Made): Promise<Envelope> =>
    (await invoke({ operation, input: {}, context, surface: 'test', session: 'test', ...made })).envelope;
  return Object.assign(self, {
    ...{ project: handle, settings, grants, access, approvals, reached, change, choose, envelope },
    call: async (operation: string, made: Made) => (await envelope(operation, made)).error?.code ?? 'OK',
    phases: () => running.list().map((call) => call.phase),
    async [Symbol.asyncDispose]() {
      state[Symbol.dispose]();
      await folder[Symbol.asyncDispose]();
    },
  });
}

/** Changes settings as the owner does: looks at the preview and confirms it. */
const changing =
  (settings: Settings) =>
  async (wish: Wish): Promise<void> => {
    const { preview } = await settings.change(wish, 'owner');
    if (preview !== null) await settings.change({ ...wish, confirmation: preview.confirmation }, 'owner');
  };

const choosing =
  (settings: Settings, projectId: string): RightsWorld['choose'] =>
  async ({ mode, trust, ceiling }) => {
    const { accessMode, projects } = (await settings.show()).settings;
    const [row] = projects;
    if (accessMode === mode && row?.isSet === true && row.trust === trust && row.ceiling === ceiling) return;
    await changing(settings)({ accessMode: mode, projects: [{ projectId, trust, ceiling }] });
  };
