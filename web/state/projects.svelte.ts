// The registered projects, and adding or removing one.
import type { Project } from '#shared/contracts/projects.ts';
import type { Connect } from '../link/client.ts';
import { Attempt } from './attempt.svelte.ts';
import { Known } from './known.svelte.ts';

export class Projects {
  readonly list: Known<readonly Project[]>;
  readonly adding = new Attempt();
  readonly removing = new Attempt();
  readonly #connect: Connect;

  constructor(connect: Connect) {
    this.#connect = connect;
    this.list = new Known(async () => (await connect().project_list({})).projects);
  }

  find(projectId: string | null): Project | undefined {
    return this.list.value?.find((project) => project.projectId === projectId);
  }

  /** The name of a project, or its id when it is not registered any more. */
  nameOf(projectId: string | null): string | null {
    return this.find(projectId)?.name ?? projectId;
  }

  async add(root: string): Promise<{ project: Project; created: boolean } | undefined> {
    const added = await this.adding.run(() => this.#connect().project_add({ root }));
    if (added !== undefined) await this.list.refresh();
    return added;
  }

  async remove(projectId: string): Promise<boolean> {
    const removed = await this.removing.run(() => this.#connect().project_remove({ projectId }));
    if (removed !== undefined) await this.list.refresh();
    return removed !== undefined;
  }
}
