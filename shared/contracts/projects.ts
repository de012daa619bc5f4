// Projects: the registered folders. Their ids are random, their identity is the directory itself.
import { z } from 'zod';
import { defineContract, Instant } from '../contract.ts';
import { ProjectId } from '../ids.ts';

export const Readiness = z.enum(['ready', 'missing', 'symlinked', 'replaced', 'inaccessible', 'invalid', 'removed']);
export type Readiness = z.infer<typeof Readiness>;

export const Project = z.object({
  projectId: ProjectId,
  name: z.string(),
  root: z.string(),
  workspaceId: z.string(),
  workspaceEpoch: z.string(),
  readiness: Readiness,
  addedAt: Instant,
  lastCallAt: Instant.nullable(),
});
export type Project = z.infer<typeof Project>;

/** Whose answer it is, when the call named the project by projectId or projectIds. */
export const Source = z.object({ projectId: ProjectId, name: z.string() });

export const ProjectSummary = z.object({ projectId: ProjectId, name: z.string(), readiness: Readiness });

export const TreeEntry = z.object({
  path: z.string(),
  kind: z.enum(['file', 'directory']),
  size: z.number().int().nullable(),
});

export const projectsContract = defineContract({
  project_overview: {
    title: 'Project overview',
    summary:
      'Start here. Gives the workspaceId and workspaceEpoch that every other call must echo, the limits in force, the manifests and languages found, a shallow tree, and the projects you may use.',
    scope: 'read',
    action: 'read',
    destructive: false,
    idempotent: true,
    context: 'none',
    elsewhere: 'one',
    input: z.strictObject({}),
    output: z.object({
      project: z.object({ projectId: ProjectId, name: z.string(), root: z.string() }).nullable(),
      workspaceId: z.string().nullable(),
      workspaceEpoch: z.string().nullable(),
      selectProjectRequired: z.boolean(),
      projects: z.array(ProjectSummary).describe('Every project this caller may use; pass its id as targetProjectId.'),
      caller: z.object({ name: z.string(), scopes: z.array(z.string()) }),
      limits: z.record(z.string(), z.number()),
      manifests: z.array(z.string()),
      languages: z.array(z.object({ language: z.string(), files: z.number().int() })),
      tree: z.array(TreeEntry),
      git: z
        .object({ branch: z.string().nullable(), head: z.string().nullable() })
        .nullable()
        .describe('Read from the repository files; no git program runs here.'),
      bridge: z.object({
        version: z.string(),
        surface: z.string(),
        tools: z.number().int().nullable().describe('How many tools you are shown; null where a call is no tool.'),
        toolSurface: z.enum(['full', 'compact', 'hybrid']).nullable(),
        hiddenOperations: z.number().int().describe('Operations that the owner hides from compact and hybrid.'),
        subagents: z.boolean(),
      }),
    }),
  },
  project_list: {
    title: 'List projects',
    summary: 'Every registered project with its readiness, the removed ones left out.',
    scope: 'owner',
    action: 'read',
    destructive: false,
    idempotent: true,
    context: 'none',
    input: z.strictObject({}),
    output: z.object({ projects: z.array(Project) }),
  },
  project_add: {
    title: 'Add a project',
    summary: 'Registers a folder. A folder that was registered before keeps its id when the directory is proven the same.',
    scope: 'owner',
    action: 'control',
    destructive: false,
    idempotent: true,
    context: 'none',
    input: z.strictObject({ root: z.string().min(1).max(4096) }),
    output: z.object({ project: Project, created: z.boolean() }),
  },
  project_remove: {
    title: 'Remove a project',
    summary: 'Takes a project off the registry. Its files and its history stay where they are.',
    scope: 'owner',
    action: 'control',
    destructive: false,
    idempotent: true,
    context: 'none',
    input: z.strictObject({ projectId: ProjectId }),
    output: z.object({ projectId: ProjectId, removed: z.boolean() }),
  },
});
