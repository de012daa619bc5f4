// Where the choices are kept and what a row means. What cannot be read counts as the narrowest choice.
import { AccessMode, Ceiling, Egress, ToolSurface, Trust } from '#shared/contracts/settings.ts';
import { z } from 'zod';
import type { Store } from '../../base/store/store.ts';
import type { ProjectHandle } from '../../operation.ts';
import type { Chosen } from './policy.ts';

export interface General {
  accessMode: AccessMode;
  toolSurface: ToolSurface | null;
  exposeSubagents: boolean;
  hiddenOperations: string[];
}

interface AccessRow {
  project_id: string;
  workspace_id: string;
  ceiling: string;
  trust: string;
  profiles: string | null;
  egress: string;
}

type Place = Pick<ProjectHandle, 'projectId' | 'workspaceId'>;

/** Managed mode for a project that nobody chose anything for: everything but reading is asked. */
const unset: Chosen = { ceiling: 'full', trust: 'inspect', profiles: [], egress: 'never' };

const Names = z.array(z.string());
const General = z.object({
  accessMode: AccessMode.catch('managed'),
  toolSurface: ToolSurface.nullable().catch('compact'),
  exposeSubagents: z.boolean().catch(false),
  hiddenOperations: Names.catch([]),
});
export const fresh: General = { accessMode: 'personal', toolSurface: null, exposeSubagents: false, hiddenOperations: [] };

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined;
    throw cause;
  }
}

export function settingRows(store: Store) {
  const get = store.prepare<[], { value: string }>("SELECT value FROM settings WHERE key = 'choices'");
  const put = store.prepare("INSERT OR REPLACE INTO settings VALUES ('choices', ?)");
  const all = store.prepare<[], AccessRow>('SELECT * FROM project_access');
  const save = store.prepare('INSERT OR REPLACE INTO project_access VALUES (?, ?, ?, ?, ?, ?)');
  return {
    general(): { general: General; changedAt: number | null } {
      const row = get.get();
      if (row === undefined) return { general: fresh, changedAt: null };
      const raw = parsed(row.value);
      const { changedAt } = z
        .object({ changedAt: z.number().nullable().catch(null) })
        .catch({ changedAt: null })
        .parse(raw);
      return { general: General.catch({ ...fresh, accessMode: 'managed' }).parse(raw), changedAt };
    },
    putGeneral: (general: General, changedAt: number) => void put.run(JSON.stringify({ ...general, changedAt })),
    access: (): Map<string, AccessRow> => new Map(all.all().map((row) => [row.project_id, row])),
    putAccess: ({ projectId, workspaceId }: Place, { ceiling, trust, profiles, egress }: Chosen) =>
      void save.run(projectId, workspaceId, ceiling, trust, profiles === null ? null : JSON.stringify(profiles), egress),
  };
}

/** What a folder is trusted with is chosen for the place where it stood; a ceiling holds wherever it goes. */
export function chosenFor(row: AccessRow | undefined, workspaceId: string): Chosen & { isSet: boolean } {
  if (row === undefined) return { ...unset, isSet: false };
  const ceiling = Ceiling.catch('read').parse(row.ceiling);
  if (row.workspace_id !== workspaceId) return { ...unset, ceiling, isSet: false };
  return {
    ceiling,
    trust: Trust.catch('inspect').parse(row.trust),
    profiles: row.profiles === null ? null : Names.catch([]).parse(parsed(row.profiles)),
    egress: Egress.catch('never').parse(row.egress),
    isSet: true,
  };
}
