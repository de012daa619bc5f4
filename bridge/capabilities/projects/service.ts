// The registry: random ids, proven directories, soft removal. A path alone never carries a right from one directory to another.
import { randomBytes } from 'node:crypto';
import { realpath } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { counted } from '#shared/counted.ts';
import type { Project } from '#shared/contracts/projects.ts';
import type { CallContext } from '#shared/envelope.ts';
import { newId } from '#shared/ids.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/digest.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { Caller, ProjectHandle } from '../../operation.ts';
import type { Events } from '../events/service.ts';
import { createLeases } from './leases.ts';
import { isSameDirectory, sight, type Identity } from './identity.ts';
import { readinessOf, requireDirectory, requireReady } from './readiness.ts';
import { identityOf, projectRows, type ProjectRow } from './rows.ts';

export interface Projects {
  add(root: string): Promise<{ project: Project; created: boolean }>;
  list(): Promise<Project[]>;
  remove(projectId: string): Promise<boolean>;
  /** The active project registered at this path, if any. */
  find(root: string): Promise<Project | null>;
  open(projectId: string): Promise<ProjectHandle>;
  choose(context: CallContext, caller: Caller, fallbackId: string | null): Promise<ProjectHandle | null>;
  /** The ready and unready projects this caller may use. */
  visible(caller: Caller): Promise<Project[]>;
  touched(projectId: string): void;
  /** Keeps the project from being removed until the answer is called. Throws RESOURCE_LIMIT. */
  lease(projectId: string, isSecondary: boolean): () => void;
}

const TOUCH_GRAIN_MS = 60_000;

const holds = (outer: string, inner: string): boolean => {
  const way = relative(outer, inner);
  return way === '' || (!isAbsolute(way) && way.split(sep)[0] !== '..');
};

/** One project is one folder of work: a relative path means another place in another process, and a home holds far more. */
async function requireProjectPath(path: string): Promise<void> {
  if (!isAbsolute(path)) throw new Failed('INVALID_INPUT', 'A project is named by the full path of its folder. Nothing was added.');
  if (resolve(path) === resolve(homedir()) || (await sameFolder(path, homedir())))
    throw new Failed('PATH_DENIED', 'This folder was not added: it is your home folder, which holds far more than one project.', {
      recovery: 'Add the folder of the project itself.',
    });
}

async function sameFolder(a: string, b: string): Promise<boolean> {
  const [first, second] = await Promise.all([sight(a), sight(b)]);
  return 'identity' in first && 'identity' in second && isSameDirectory(first.identity, second.identity);
}

async function refuseOwnState(root: string, home: string): Promise<void> {
  const own = await realpath(home);
  if (holds(root, own) || holds(own, root))
    throw new Failed('PATH_DENIED', "This folder was not added: Drawbridge's own state lies in it, or it lies in that state.", {
      recovery: 'Choose a folder further in, or start Drawbridge with another --home.',
    });
}

/** This installation's own random name, made once. */
function installationId(store: Store): string {
  store.prepare("INSERT OR IGNORE INTO settings VALUES ('installation', ?)").run(randomBytes(16).toString('hex'));
  return store.prepare<[], { value: string }>("SELECT value FROM settings WHERE key = 'installation'").get()?.value ?? '';
}

export interface ProjectParts {
  store: Store;
  clock: Clock;
  events: Events;
  /** The bridge's own state: no project may hold it or lie in it (S10). */
  home: string;
}

export function createProjects({ store, clock, events, home }: ProjectParts): Projects {
  const rows = projectRows(store);
  const installation = installationId(store);
  const epochs = createEpochs();
  const touchedAt = new Map<string, number>();
  const leases = createLeases();

  async function toProject(row: ProjectRow): Promise<Project> {
    const { epoch, ...handle } = toHandle(row, epochs.of(row.project_id));
    const lastCallAt = Math.max(row.last_call_at ?? 0, touchedAt.get(row.project_id) ?? 0) || null;
    return { ...handle, workspaceEpoch: epoch, readiness: readinessOf(row), addedAt: row.added_at, lastCallAt };
  }

  async function open(row: ProjectRow | undefined): Promise<ProjectHandle> {
    if (row === undefined) throw new Failed('NOT_FOUND', 'No project of that id is registered. Nothing was done.');
    requireReady(row);
    return toHandle(row, epochs.of(row.project_id));
  }

  const { register, unregister } = createRegistration({ store, clock, events, rows, installation, epochs });

  return {
    async add(path) {
      await requireProjectPath(path);
      const { identity, root } = await requireDirectory(resolve(path));
      await refuseOwnState(root, home);
      const standing = rows.active.all().find((row) => row.root === root && isSameDirectory(identityOf(row), identity));
      if (standing !== undefined) return { project: await toProject(standing), created: false };
      const { row, isNew } = register(root, identity);
      return { project: await toProject(row), created: isNew };
    },
    list: () => Promise.all(rows.active.all().map(toProject)),
    async remove(projectId) {
      const row = rows.byId.get(projectId);
      if (row === undefined) throw new Failed('NOT_FOUND', 'No project of that id is registered.');
      const holders = leases.held(projectId);
      if (holders > 0)
        throw new Failed('CONFLICT', `The project is in use by ${counted(holders, 'call')}. It was not removed.`, { retryable: true });
      if (row.removed_at === null) unregister(row);
      return row.removed_at === null;
    },
    async find(path) {
      const seen = await sight(resolve(path));
      const row = 'root' in seen ? rows.active.all().find((candidate) => candidate.root === seen.root) : undefined;
      return row === undefined ? null : toProject(row);
    },
    open: (projectId) => open(rows.byId.get(projectId)),
    async choose(context, caller, fallbackId) {
      const chosen = chooseRow(rows, { context, caller, fallbackId });
      return chosen === null ? null : open(chosen);
    },
    visible: (caller) => Promise.all(rows.active.all().filter(mayUse(caller)).map(toProject)),
    touched(projectId) {
      const now = clock.now();
      if (now - (touchedAt.get(projectId) ?? 0) < TOUCH_GRAIN_MS) return;
      touchedAt.set(projectId, now);
      rows.touch.run(now, projectId);
    },
    lease: leases.take,
  };
}

interface RegistrationParts {
  store: Store;
  clock: Clock;
  events: Events;
  rows: ReturnType<typeof projectRows>;
  installation: string;
  epochs: ReturnType<typeof createEpochs>;
}

/** The two writes of the registry, each with its event in one transaction. */
function createRegistration({ store, clock, events, rows, installation, epochs }: RegistrationParts) {
  /** One row for one directory: a proven one comes back under its old id wherever it stands now. */
  function register(root: string, identity: Identity): { row: ProjectRow; isNew: boolean } {
    const known = rows.all.all().find((row) => isSameDirectory(identityOf(row), identity));
    const standing = rows.active.all().find((row) => row.root === root);
    const projectId = known?.project_id ?? newId('prj');
    const name = basename(root) || root;
    const workspaceId = `ws_${sha256(installation + root).slice(0, 26)}`;
    store.transaction(() => {
      if (standing !== undefined) rows.remove.run(clock.now(), standing.project_id);
      if (known !== undefined) rows.restore.run(root, name, workspaceId, identity.device, projectId);
      else rows.insert.run(projectId, name, root, workspaceId, identity.device, identity.inode, identity.birthNs, clock.now());
      events.append({ session: 'owner', kind: 'project.added', projectId, body: { name, root } });
    })();
    epochs.renew(projectId);
    return { row: rows.byId.get(projectId) as ProjectRow, isNew: known === undefined };
  }

  function unregister(row: ProjectRow): void {
    store.transaction(() => {
      rows.remove.run(clock.now(), row.project_id);
      events.append({ session: 'owner', kind: 'project.removed', projectId: row.project_id, body: { name: row.name, root: row.root } });
    })();
    epochs.renew(row.project_id);
  }

  return { register, unregister };
}

/** An epoch names one opening of a project in one bridge process; what was read under another one is stale. */
function createEpochs() {
  const epochs = new Map<string, string>();
  return {
    of(projectId: string): string {
      const epoch = epochs.get(projectId) ?? newId('ep');
      epochs.set(projectId, epoch);
      return epoch;
    },
    renew: (projectId: string) => void epochs.delete(projectId),
  };
}

const toHandle = (row: ProjectRow, epoch: string): ProjectHandle => ({
  projectId: row.project_id,
  name: row.name,
  root: row.root,
  workspaceId: row.workspace_id,
  epoch,
});

const mayUse = (caller: Caller) => (row: ProjectRow) => caller.projectIds === null || caller.projectIds.has(row.project_id);

/** The target that was named, else the session's own project, else the named workspace, else the only one there is. */
function chooseRow(
  rows: ReturnType<typeof projectRows>,
  { context, caller, fallbackId }: { context: CallContext; caller: Caller; fallbackId: string | null },
): ProjectRow | null {
  if (context.targetProjectId !== undefined) {
    const row = rows.byId.get(context.targetProjectId);
    if (row !== undefined && mayUse(caller)(row)) return row;
    throw new Failed('WORKSPACE_ACCESS_REQUIRED', 'This caller has no access to that project. Nothing was done.');
  }
  if (fallbackId !== null) return rows.byId.get(fallbackId) ?? null;
  const usable = rows.active.all().filter(mayUse(caller));
  const named = usable.find((row) => row.workspace_id === context.workspaceId);
  if (named !== undefined) return named;
  if (context.workspaceId !== undefined)
    throw new Failed('WORKSPACE_MISMATCH', 'The workspaceId is not one of your projects. Nothing was done.', {
      recovery: 'Call project_overview and use the workspaceId and workspaceEpoch it answers with.',
    });
  return usable.length === 1 ? (usable[0] ?? null) : null;
}
