// Grants: standing answers of the owner. Only the owner makes or ends one; nothing widens one; each use is counted as it is taken.
import { canonicalJson } from '#shared/canonical.ts';
import type { Grant, GrantScope, GrantStatus } from '#shared/contracts/grants.ts';
import { newId } from '#shared/ids.ts';
import type { Clock } from '../../base/clock.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { AskContext, Asked, ProjectHandle } from '../../operation.ts';
import type { Events } from '../events/service.ts';
import { canonicalHost, covers, isCanonicalPath, type Question } from './covers.ts';
import { grantRows, toGrant, type Whose, type GrantRow } from './rows.ts';

export { covers, scopeOf, type Question } from './covers.ts';

export interface GrantWish extends GrantScope {
  principal: string;
  callerName: string;
  project: Pick<ProjectHandle, 'projectId' | 'workspaceId'>;
  reasons: string[] | null;
  approvalId: string | null;
  minutes: number;
  usesMax: number | null;
  by: string;
}

export interface Grants {
  find(context: AskContext, asked: Asked): string | null;
  spend(grantId: string): void;
  create(wish: GrantWish): Grant;
  /** Ends all that one caller was granted, or all in one project. */
  endOf(whose: Whose, by: string): void;
  revoke(grantId: string, by: string): Grant;
  list(query: { status?: GrantStatus | undefined; limit: number }): Grant[];
  /** The grant as it stands now. */
  look(grantId: string): Grant | null;
}

export interface GrantParts {
  store: Store;
  clock: Clock;
  events: Events;
}

const MINUTE_MS = 60_000;

export const questionOf = ({ operation, argumentsText }: AskContext, { reasons, touches }: Asked): Question => ({
  operation,
  arguments: JSON.parse(argumentsText) as Record<string, unknown>,
  reasons,
  touches: touches ?? null,
});

export function createGrants(parts: GrantParts): Grants {
  const { store, clock, events } = parts;
  const rows = grantRows(store);
  const lapse = () => void rows.lapse.run(clock.now());

  function revoke(grantId: string, by: string): Grant {
    const row = requireGrant(rows.byId.get(grantId));
    lapse();
    store.transaction(() => {
      if (rows.revoke.run(clock.now(), grantId).changes === 1)
        events.append({ session: 'owner', kind: 'grant.revoked', projectId: row.project_id, body: { grantId, by, ...told(row) } });
    })();
    return toGrant(requireGrant(rows.byId.get(grantId)));
  }

  return {
    find(context, asked) {
      if (context.project === null) return null;
      lapse();
      const { projectId, workspaceId } = context.project;
      // A folder that moved has another workspace: what was granted for the old place does not follow it.
      const standing = rows.active.all(context.caller.principal, projectId, workspaceId, context.operation);
      if (standing.length === 0) return null;
      const question = questionOf(context, asked);
      return standing.find((row) => covers(toGrant(row), question))?.grant_id ?? null;
    },
    spend(grantId) {
      if (rows.use.run({ grantId, now: clock.now() }).changes === 1) return;
      throw new Failed('APPROVAL_EXPIRED', 'The grant for this call ended in the meantime. Nothing was done.', {
        recovery: 'Send the same call again; the owner is asked then.',
        retryable: true,
        detail: { grantId },
      });
    },
    create: (wish) => create(parts, rows, wish),
    revoke,
    endOf(whose, by) {
      for (const row of rows.activeOf.all(whose)) revoke(row.grant_id, by);
    },
    list({ status, limit }) {
      lapse();
      return rows.list.all(status ?? null, status ?? null, limit).map(toGrant);
    },
    look(grantId) {
      lapse();
      const row = rows.byId.get(grantId);
      return row === undefined ? null : toGrant(row);
    },
  };
}

function create({ store, clock, events }: GrantParts, rows: ReturnType<typeof grantRows>, wish: GrantWish): Grant {
  requireCanonical(wish);
  const now = clock.now();
  const row = {
    grant_id: newId('grt'),
    principal: wish.principal,
    caller_name: wish.callerName,
    project_id: wish.project.projectId,
    workspace_id: wish.project.workspaceId,
    operation: wish.operation,
    arguments: canonicalJson(wish.arguments),
    paths: JSON.stringify([...new Set(wish.paths)]),
    program: wish.program,
    host: wish.host === null ? null : canonicalHost(wish.host),
    reasons: wish.reasons === null ? null : JSON.stringify(wish.reasons),
    approval_id: wish.approvalId,
    created_at: now,
    created_by: wish.by,
    until: now + wish.minutes * MINUTE_MS,
    uses_max: wish.usesMax,
  };
  store.transaction(() => {
    rows.insert.run(row);
    const body = { grantId: row.grant_id, by: wish.by, until: row.until, ...told(row) };
    events.append({ session: 'owner', kind: 'grant.created', projectId: row.project_id, body });
  })();
  return toGrant(requireGrant(rows.byId.get(row.grant_id)));
}

/** What the account says a grant is for, in one line. */
function told({
  caller_name,
  operation,
  paths,
  program,
  host,
}: Pick<GrantRow, 'caller_name' | 'operation' | 'paths' | 'program' | 'host'>) {
  const parts = [operation, ...(JSON.parse(paths) as string[]), ...(program === null ? [] : [program]), ...(host === null ? [] : [host])];
  return { summary: `${caller_name}: ${parts.join(' ')}` };
}

function requireCanonical({ paths }: GrantWish): void {
  const wrong = paths.find((path) => !isCanonicalPath(path));
  if (wrong !== undefined)
    throw new Failed('INVALID_INPUT', 'A grant names its paths relative to the project, in their plain form. Nothing was granted.', {
      recovery: 'Write "folder/file" without ".", ".." or a slash at either end; "." alone is the whole project.',
    });
}

function requireGrant(row: GrantRow | undefined): GrantRow {
  if (row === undefined) throw new Failed('NOT_FOUND', 'There is no grant of that id.');
  return row;
}
