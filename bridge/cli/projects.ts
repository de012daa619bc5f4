// drawbridge project: the registry from a terminal.
import { resolve } from 'node:path';
import { Failed } from '../failed.ts';
import { say } from './output.ts';
import { asOwner } from './owner.ts';
import { visible } from './visible.ts';

export interface ProjectOptions {
  home?: string;
  json: boolean;
}

export async function addProject(folder: string, { home, json }: ProjectOptions): Promise<void> {
  const { project, created } = await asOwner(home, (call) => call('project_add', { root: resolve(folder) }));
  if (json) return say(JSON.stringify({ project, created }));
  say(`${project.projectId}  ${visible(project.root)}${created ? '' : '  (was registered before)'}`);
}

export async function listProjects({ home, json }: ProjectOptions): Promise<void> {
  const { projects } = await asOwner(home, (call) => call('project_list', {}));
  if (json) return say(JSON.stringify({ projects }));
  for (const { projectId, readiness, root } of projects) say(`${projectId}  ${readiness}  ${visible(root)}`);
}

/** By folder or by id. */
export async function removeProject(folder: string, { home, json }: ProjectOptions): Promise<void> {
  const root = resolve(folder);
  const removed = await asOwner(home, async (call) => {
    const { projects } = await call('project_list', {});
    const project = projects.find((each) => each.projectId === folder) ?? projects.find((each) => each.root === root);
    if (project === undefined) throw new Failed('NOT_FOUND', 'No project is registered at that folder. Nothing was done.');
    return { ...(await call('project_remove', { projectId: project.projectId })), root: project.root };
  });
  if (json) return say(JSON.stringify(removed));
  say(`${removed.projectId}  removed; its files and its history stay where they are`);
}
