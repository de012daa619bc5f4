// Builds every part of the bridge that needs no listener, by hand and in order. Only this file and app.ts construct parts.
import { homedir } from 'node:os';
import { contracts, type OperationName } from '#shared/contracts.ts';
import { DISCOVER, OVERVIEW } from '#shared/surfaces.ts';
import { createBlobs } from './base/blobs/blobs.ts';
import { systemClock } from './base/clock.ts';
import type { FetchDocument } from './base/http/outbound.ts';
import type { Log } from './base/log.ts';
import { atomically, openStore } from './base/store/store.ts';
import { clientSetup, type SetupFacts } from './capabilities/access/clients.ts';
import { accessOperations } from './capabilities/access/operations.ts';
import { createAccess } from './capabilities/access/service.ts';
import { approvalOperations } from './capabilities/approvals/operations.ts';
import { createApprovals } from './capabilities/approvals/service.ts';
import { bridgeOperations } from './capabilities/bridge/operations.ts';
import { databaseBytes } from './capabilities/bridge/size.ts';
import { changeOperations } from './capabilities/changes/operations.ts';
import { createChanges } from './capabilities/changes/service.ts';
import { clientOperations } from './capabilities/clients/operations.ts';
import { createClients } from './capabilities/clients/service.ts';
import { discoveryOperations } from './capabilities/discovery/operations.ts';
import { createDiscovery } from './capabilities/discovery/service.ts';
import { environmentOperations } from './capabilities/environment/operations.ts';
import { editOperations } from './capabilities/edits/operations.ts';
import { eventOperations } from './capabilities/events/operations.ts';
import { createEvents } from './capabilities/events/service.ts';
import { fileOperations } from './capabilities/files/operations.ts';
import { createFiles } from './capabilities/files/service.ts';
import { gitOperations } from './capabilities/git/operations.ts';
import { createGit } from './capabilities/git/service.ts';
import { grantOperations } from './capabilities/grants/operations.ts';
import { createGrants } from './capabilities/grants/service.ts';
import { jobOperations } from './capabilities/jobs/operations.ts';
import { createJobs } from './capabilities/jobs/service.ts';
import { createManifests } from './capabilities/manifests/service.ts';
import { noteOperations } from './capabilities/notes/operations.ts';
import { createNotes } from './capabilities/notes/service.ts';
import { projectOperations } from './capabilities/projects/operations.ts';
import { createProjects } from './capabilities/projects/service.ts';
import { settingsOperations } from './capabilities/settings/operations.ts';
import { createSettings } from './capabilities/settings/service.ts';
import { createLinks, ownerLinkOf } from './console/links.ts';
import { createIdempotency } from './invocation/idempotency.ts';
import { createInvoker } from './invocation/invoke.ts';
import { createMutationQueue } from './invocation/queue.ts';
import { createRunning } from './invocation/running.ts';
import type { Locations } from './locations.ts';
import { migrations } from './migrations.ts';
import type { Operation } from './operation.ts';

export interface CoreOptions {
  locations: Locations;
  version: string;
  log: Log;
  /** How a client starts this program to speak stdio, with everything but the project. */
  launch: SetupFacts['launch'];
  /** How the document that a client program names as its id is fetched; left out: from the public internet only. */
  fetchDocument?: FetchDocument;
}

const REQUEST_BODY_BYTES = 16 * 1024 * 1024;
const BLOBS_CAP_BYTES = 2 * 1024 * 1024 * 1024;

export type Core = Awaited<ReturnType<typeof createCore>>;

/** Opens the state, mends what a crash left, and joins every capability to the pipeline. */
export async function createCore(options: CoreOptions) {
  const parts = createParts(options);
  await settleInterrupted(parts);
  endWithTheirGiver(parts);
  const operations = operationsOf(parts, options);
  const {
    store,
    clock,
    events,
    projects,
    approvals,
    grants,
    settings,
    idempotency,
    running,
    blobs,
    access,
    clients,
    links,
    address,
    jobs,
  } = parts;
  const invoke = createInvoker({
    operations,
    projects,
    events,
    approvals,
    grants,
    policy: settings,
    idempotency,
    queue: createMutationQueue(),
    running,
    blobs,
    atomically: (durability, work) => atomically(store, durability, work),
    clock,
    log: options.log,
    limits: { requestBodyBytes: REQUEST_BODY_BYTES },
  });
  events.append({ session: 'bridge', kind: 'bridge.started', projectId: null, body: { version: options.version } });
  return {
    ...{ invoke, operations, access, clients, events, projects, settings, running, links, store, clock, address, jobs },
    createLink: () => createLink(parts),
  };
}

type Parts = ReturnType<typeof createParts>;

function createParts({ locations, log }: CoreOptions) {
  const clock = systemClock();
  const store = openStore(locations.database, migrations);
  const events = createEvents({ store, clock });
  const blobs = createBlobs({ dir: locations.blobs, store, capBytes: BLOBS_CAP_BYTES, clock, log });
  /** Told once the listeners accept. */
  const address: { mcpUrl: string | null; consoleUrl: string | null } = { mcpUrl: null, consoleUrl: null };
  const access = createAccess({ store, clock, events });
  const clients = createClients({ store, clock, events, audience: () => address.mcpUrl });
  access.addResolver(clients.callerOfBearer);
  const projects = createProjects({ store, clock, events, home: locations.home });
  const grants = createGrants({ store, clock, events });
  const settings = createSettings({
    ...{ store, clock, events, isHideable: isClientOperation },
    projects: projects.list,
    callers: (projectIds) => [...access.callers(), ...clients.callers(), ...projectIds.map((projectId) => access.stdioCaller(projectId))],
  });
  const approvals = createApprovals({ store, clock, events, grants, consoleUrl: () => address.consoleUrl });
  const files = createFiles({ log, clock });
  const changes = createChanges({ store, blobs, files, clock, log, projects });
  const manifests = createManifests({ store, blobs, files, clock, log, changes, projects });
  const idempotency = createIdempotency(store, clock);
  const links = createLinks({ store, clock });
  const notes = createNotes({ store, clock });
  const roots = async () => (await projects.list()).map(({ root }) => root);
  const git = createGit({ files, scratch: locations.git, roots });
  const jobs = createJobs({ store, clock, events, log, files, roots, dir: locations.jobs });
  const running = createRunning();
  return {
    clock,
    store,
    events,
    blobs,
    address,
    access,
    clients,
    projects,
    grants,
    settings,
    approvals,
    files,
    git,
    changes,
    manifests,
    idempotency,
    links,
    notes,
    jobs,
    roots,
    running,
  };
}

/** What was allowed to a caller or in a project goes with the caller's own access, or with the project: it does not come back with them. */
function endWithTheirGiver({ events, grants, approvals }: Parts): void {
  events.follow(({ kind, projectId, body }) => {
    const { tokenId, clientId } = body as { tokenId?: string; clientId?: string };
    const principal = kind === 'token.revoked' ? `token:${tokenId}` : kind === 'client.revoked' ? `client:${clientId}` : null;
    const whose = { principal, projectId: kind === 'project.removed' ? projectId : null };
    if (whose.principal === null && whose.projectId === null) return;
    grants.endOf(whose, 'the bridge');
    approvals.endOf(whose);
  });
}

/** What the journal found unfinished is settled before anything is accepted, so that its keys answer truthfully. */
async function settleInterrupted({ changes, git, jobs, manifests, store, events, idempotency }: Parts): Promise<void> {
  for (const found of await changes.recover()) {
    store.transaction(() => {
      events.append({ session: 'bridge', kind: 'change.recovered', projectId: found.projectId, body: { ...found.told } });
      if (found.reservation === null) return;
      if (found.receipt !== null) idempotency.settle(found.reservation, { data: found.receipt, warnings: [] });
      else if (found.isUndone) idempotency.release(found.reservation);
    })();
  }
  jobs.recover();
  for (const { projectId, changesetId } of await manifests.recover()) {
    const change = changesetId === null ? null : changes.find(changesetId);
    if (change === null) continue;
    const told = { changesetId, status: change.status, summary: change.summary, files: change.files.map(({ path }) => path) };
    events.append({ session: 'bridge', kind: 'change.recovered', projectId, body: told });
  }
  // A key belongs to a file change, a job or a commit, and none does anything that lasts before that is on record.
  for (const reservation of idempotency.unsettled())
    if (![changes.hasBegun, jobs.hasBegun, git.begun.has].some((hasBegun) => hasBegun(reservation))) idempotency.release(reservation);
}

/** The only list of what the bridge can do. */
function operationsOf(parts: Parts, { locations, version, launch }: CoreOptions): Operation[] {
  const { access, address, approvals, blobs, changes, clients, clock, events, files, git, grants, jobs, notes, projects, roots, settings } =
    parts;
  const unlistedReach = () => (settings.current().accessMode === 'managed' ? 'none' : 'every');
  const operations: Operation[] = [
    ...projectOperations(projects, files, () => overviewFacts(version, files, settings)),
    ...discoveryOperations(createDiscovery({ operations: () => operations, choice: settings.current })),
    ...fileOperations(files),
    ...editOperations(changes, files),
    ...changeOperations(changes),
    ...environmentOperations({
      ...{ clock, cwd: locations.home, searchEngine: 'ripgrep' },
      roots,
      accessMode: () => settings.current().accessMode,
      has: (name) => operations.some((one) => one.name === name),
    }),
    ...jobOperations(jobs),
    ...gitOperations(git),
    ...noteOperations(notes),
    ...approvalOperations(approvals, clock),
    ...grantOperations({ grants, clock, projects, isGrantable: isClientOperation }),
    ...settingsOperations(settings),
    ...accessOperations({ access, clock, unlistedReach }),
    ...clientOperations({ clients, clock, unlistedReach, resumeUrl: (id, proof) => resumeUrl(address.mcpUrl, id, proof) }),
    ...eventOperations(events),
    ...bridgeOperations({
      version,
      epoch: events.epoch,
      home: locations.home,
      clock,
      address: () => address,
      usage: () => ({ ...blobs.usage(), databaseBytes: databaseBytes(locations.database) }),
      createLink: () => createLink(parts),
      setup: async (client, projectId) => clientSetup({ ...machine, client, launch, ...(await placesOf(parts, projectId)) }),
    }),
  ];
  return operations;
}

function overviewFacts(version: string, { limits }: Parts['files'], settings: Parts['settings']) {
  const { hiddenOperations, exposeSubagents } = settings.current();
  return { version, limits, hiddenOperations: hiddenOperations.length, subagents: exposeSubagents };
}

const resumeUrl = (mcpUrl: string | null, consentId: string, proof: string): string | null =>
  mcpUrl === null ? null : new URL(`/oauth/consent/${consentId}?proof=${proof}`, mcpUrl).href;

/** What a client may be granted, and what the owner may hide from one. A call always begins with the overview. */
const isClientOperation = (name: string): boolean =>
  Object.hasOwn(contracts, name) && contracts[name as OperationName].scope !== 'owner' && name !== OVERVIEW && name !== DISCOVER;

const machine = { userHome: homedir(), platform: process.platform };

/** What a set-up points at: the named project, else the first one, else words in its place. */
async function placesOf({ address, projects }: Parts, projectId: string | undefined): Promise<{ root: string; mcpUrl: string }> {
  const project = projectId === undefined ? (await projects.list())[0] : await projects.open(projectId);
  return { root: project?.root ?? '/path/to/your/project', mcpUrl: address.mcpUrl ?? 'http://127.0.0.1:21730/mcp' };
}

function createLink({ address, links }: Parts): { ownerLink: string; expiresAt: number } {
  if (address.consoleUrl === null) throw new Error('A link leads nowhere while the console does not listen.');
  const { code, expiresAt } = links.create();
  return { ownerLink: ownerLinkOf(address.consoleUrl, code), expiresAt };
}
