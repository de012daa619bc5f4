// Settings: what the owner chose about the whole bridge and about each project. Nothing but the owner changes one.
import { z } from 'zod';
import { defineContract, Instant, Sha256 } from '../contract.ts';
import { ProjectId } from '../ids.ts';

/** `personal`: one owner, registered projects usable at once. `managed`: only what the owner set for each project and client. */
export const AccessMode = z.enum(['personal', 'managed']);
export type AccessMode = z.infer<typeof AccessMode>;
export const ToolSurface = z.enum(['full', 'compact', 'hybrid']);
export type ToolSurface = z.infer<typeof ToolSurface>;
/** The most that any caller but the owner may do in a project, in either mode. */
export const Ceiling = z.enum(['read', 'edit', 'full']);
export type Ceiling = z.infer<typeof Ceiling>;
/** Managed mode: what runs without a question. `inspect`: reading. `edit`: undoable changes too. `trusted`: programs too. */
export const Trust = z.enum(['inspect', 'edit', 'trusted']);
export type Trust = z.infer<typeof Trust>;
/** Managed mode: whether the project's bytes may leave this machine at all. `asked` is still a question (or a grant) each time. */
export const Egress = z.enum(['never', 'asked']);
export type Egress = z.infer<typeof Egress>;

const ProfileName = z.string().trim().min(1).max(80);
const OperationName = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

export const ProjectAccess = z.object({
  projectId: ProjectId,
  name: z.string(),
  ceiling: Ceiling,
  trust: Trust.describe('Counts in managed mode only.'),
  profiles: z.array(ProfileName).nullable().describe('AI profiles that may see this project in managed mode; null: every one.'),
  egress: Egress.describe('Counts in managed mode only.'),
  isSet: z.boolean().describe('False: the owner chose nothing here yet, or the folder moved and its trust did not follow.'),
});
export type ProjectAccess = z.infer<typeof ProjectAccess>;

export const Settings = z.object({
  accessMode: AccessMode,
  toolSurface: ToolSurface.nullable().describe('null: the default of each transport.'),
  exposeSubagents: z.boolean(),
  hiddenOperations: z.array(z.string()),
  projects: z.array(ProjectAccess),
});
export type Settings = z.infer<typeof Settings>;

/** What one caller may do in one project: `scopes` at all, and `asked` of them only after the owner's answer. */
export const Right = z.object({ scopes: z.array(z.string()), asked: z.array(z.string()) });
export type Right = z.infer<typeof Right>;

/** One caller in one project whose right a switch of modes would change. */
export const RightChange = z.object({
  principal: z.string(),
  name: z.string(),
  projectId: ProjectId,
  project: z.string(),
  before: Right,
  after: Right,
});
export type RightChange = z.infer<typeof RightChange>;

/** What one caller may do in one project as things stand. */
export const HeldRight = RightChange.pick({ principal: true, name: true, projectId: true, project: true }).extend({ right: Right });
export type HeldRight = z.infer<typeof HeldRight>;

const owns = { scope: 'owner', context: 'none' } as const;

export const settingsContract = defineContract({
  settings_show: {
    ...owns,
    title: 'Show settings',
    summary: 'The access mode, the tool surface and what is chosen for each registered project.',
    action: 'read',
    destructive: false,
    idempotent: true,
    input: z.strictObject({}),
    output: z.object({ settings: Settings, changedAt: Instant.nullable() }),
  },
  rights_list: {
    ...owns,
    title: 'List rights',
    summary: 'What each token, client and local program may do in each project now: the least of everything that was chosen.',
    action: 'read',
    destructive: false,
    idempotent: true,
    input: z.strictObject({}),
    output: z.object({ accessMode: AccessMode, rights: z.array(HeldRight) }),
  },
  settings_change: {
    ...owns,
    title: 'Change settings',
    summary:
      'Changes what is named and nothing else. Switching the access mode answers first with what it would change and a confirmation; the same call with that confirmation does it.',
    action: 'control',
    destructive: false,
    idempotent: true,
    input: z.strictObject({
      accessMode: AccessMode.optional(),
      toolSurface: ToolSurface.nullable().optional(),
      exposeSubagents: z.boolean().optional(),
      hiddenOperations: z.array(OperationName).max(200).optional(),
      projects: z
        .array(
          z.strictObject({
            projectId: ProjectId,
            ceiling: Ceiling.optional(),
            trust: Trust.optional(),
            profiles: z.array(ProfileName).max(50).nullable().optional(),
            egress: Egress.optional(),
          }),
        )
        .max(100)
        .optional(),
      confirmation: Sha256.optional().describe('From the preview; holds for exactly the changes that were on the screen.'),
    }),
    output: z.object({
      applied: z.boolean(),
      settings: Settings.describe('As they are now.'),
      preview: z
        .object({ confirmation: Sha256, from: AccessMode, to: AccessMode, rights: z.array(RightChange) })
        .nullable()
        .describe('There when nothing was applied yet: what the owner has to see and confirm.'),
    }),
  },
});
