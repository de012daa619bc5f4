// The registry and the overview as operations. The overview is where every client starts.
import { counted } from '#shared/counted.ts';
import { projectsContract } from '#shared/contracts/projects.ts';
import { implement, type Call, type Operation, type ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';
import { gitHead } from './git-head.ts';
import { languagesIn, manifestsIn, shallowTree } from './overview.ts';
import type { Projects } from './service.ts';

export interface OverviewFacts {
  version: string;
  hiddenOperations: number;
  subagents: boolean;
  limits: Record<string, number>;
}

export function projectOperations(projects: Projects, files: Files, facts: () => OverviewFacts): Operation[] {
  return implement(projectsContract, {
    project_overview: async (_input, call) => {
      const project = call.hasProject ? call.project : null;
      const seen = project === null ? nothingSeen : await look(files, project);
      const common = await commonFacts(projects, call, facts());
      return {
        data: { ...common, ...seen.data, ...namesOf(project) },
        truncated: seen.isCut,
        brief: project === null ? 'no project chosen yet' : `${project.name}: ${counted(seen.data.manifests.length, 'manifest')}`,
      };
    },
    project_list: async () => ({ data: { projects: await projects.list() } }),
    project_add: async ({ root }) => {
      const added = await projects.add(root);
      return { data: added, brief: added.project.name };
    },
    project_remove: async ({ projectId }) => ({ data: { projectId, removed: await projects.remove(projectId) } }),
  });
}

const nothingSeen = { data: { manifests: [], languages: [], tree: [], git: null }, isCut: false };

async function look(files: Files, project: ProjectHandle) {
  const listed = (await files.candidates(project, { includeIgnored: false })).files;
  const { tree, isCut } = shallowTree(listed);
  const git = await gitHead(project.root);
  return { data: { manifests: manifestsIn(listed), languages: languagesIn(listed), tree, git }, isCut };
}

const namesOf = (project: ProjectHandle | null) => ({
  project: project === null ? null : { projectId: project.projectId, name: project.name, root: project.root },
  workspaceId: project?.workspaceId ?? null,
  workspaceEpoch: project?.epoch ?? null,
  selectProjectRequired: project === null,
});

async function commonFacts(projects: Projects, call: Call, { limits, ...bridge }: OverviewFacts) {
  const visible = await projects.visible(call.caller);
  return {
    projects: visible.map(({ projectId, name, readiness }) => ({ projectId, name, readiness })),
    caller: { name: call.caller.name, scopes: [...call.caller.scopes] },
    limits,
    bridge: { ...bridge, surface: call.surface, tools: call.listed?.tools ?? null, toolSurface: call.listed?.toolSurface ?? null },
  };
}
