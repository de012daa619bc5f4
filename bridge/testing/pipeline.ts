// A pipeline over a real store with one operation, which doubles: what it was asked and told is kept for the test.
import { z } from 'zod';
import type { OperationContract } from '#shared/contract.ts';
import { atomically } from '../base/store/store.ts';
import { silentLog } from '../base/log.ts';
import { Failed } from '../failed.ts';
import type { Asked, Caller, Operation, ProjectHandle } from '../operation.ts';
import { rightsOver } from './rights.ts';
import type { TestState } from './state.ts';
import { createIdempotency } from '../invocation/idempotency.ts';
import { createInvoker, type Invocation } from '../invocation/invoke.ts';
import type { ApprovalPort, EventInput } from '../invocation/ports.ts';
import { createMutationQueue } from '../invocation/queue.ts';
import { createRunning } from '../invocation/running.ts';

const project: ProjectHandle = { projectId: 'prj_00000001', name: 'p', root: '/nowhere', workspaceId: 'ws_1', epoch: 'ep_1' };
export const client = (over: Partial<Caller> = {}): Caller => ({
  kind: 'client',
  principal: 'token:1',
  name: 'Client',
  scopes: new Set(['read', 'write']),
  projectIds: null,
  ...over,
});
export const context = { workspaceId: 'ws_1', workspaceEpoch: 'ep_1' };

const contract = (over: Partial<OperationContract> = {}): OperationContract => ({
  title: 't',
  summary: 's',
  scope: 'write',
  action: 'mutate-files',
  destructive: true,
  idempotent: false,
  context: 'workspace',
  input: z.strictObject({ x: z.number(), idempotencyKey: z.string().optional() }),
  output: z.object({ doubled: z.number() }),
  ...over,
});

export interface World {
  state: TestState;
  ran: number[];
  events: EventInput[];
  isDiskFull: boolean;
  call(over?: Partial<Invocation>): ReturnType<ReturnType<typeof createInvoker>>;
}

export interface WorldOptions {
  over?: Partial<OperationContract>;
  run?: Operation['run'];
  asks?: () => Promise<Asked | null>;
  approvals?: ApprovalPort;
}

export const noApprovals: ApprovalPort = {
  find: () => null,
  require: () => {
    throw new Failed('APPROVAL_REQUIRED', 'ask', { detail: { approvalId: 'apr_1' } });
  },
  spend: () => undefined,
};

export function world(state: TestState, options: WorldOptions = {}): World {
  const ran: number[] = [];
  const run = options.run ?? (async (input) => (ran.push(input['x'] as number), { data: { doubled: 2 * (input['x'] as number) } }));
  const self: World = { state, ran, events: [], isDiskFull: false, call: () => Promise.reject(new Error('unset')) };
  const { grants, settings: policy } = rightsOver({ ...state, projects: async () => [project] });
  const invoke = createInvoker({
    operations: [{ name: 'double', contract: contract(options.over), run, ...(options.asks === undefined ? {} : { asks: options.asks }) }],
    projects: {
      choose: async (wanted) => (wanted.workspaceId === undefined && wanted.targetProjectId === undefined ? null : project),
      touched: () => undefined,
      lease: () => () => undefined,
    },
    events: {
      append(event) {
        if (self.isDiskFull) throw new Error('the disk is full');
        self.events.push(event);
      },
    },
    approvals: options.approvals ?? noApprovals,
    grants,
    policy,
    idempotency: createIdempotency(state.store, state.clock),
    queue: createMutationQueue({ waitersMax: 2, waitMs: 60 }),
    running: createRunning(),
    blobs: { put: async () => 'f'.repeat(64) },
    atomically: (durability, work) => atomically(state.store, durability, work),
    clock: state.clock,
    log: silentLog,
    limits: { requestBodyBytes: 1000 },
  });
  self.call = (over = {}) =>
    invoke({ operation: 'double', input: { x: 1 }, context, caller: () => client(), surface: 'test', session: 's', ...over });
  return self;
}

/** A promise that the test opens. */
export function newGate(): { promise: Promise<void>; resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((open) => (resolve = open));
  return { promise, resolve };
}

export const codeOf = async (answer: ReturnType<World['call']>): Promise<string> => (await answer).envelope.error?.code ?? 'OK';
