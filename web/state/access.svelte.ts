// Who may do what, as the owner chose it: the settings of access, the rights they leave, and changing them. A switch of modes is seen before it is made.
import type { z } from 'zod';
import type { HeldRight, Right, Settings } from '#shared/contracts/settings.ts';
import type { Contracts } from '#shared/contracts.ts';
import type { Connect } from '../link/client.ts';
import { Attempt } from './attempt.svelte.ts';
import { Known } from './known.svelte.ts';

type Change = Contracts['settings_change'];
export type SettingsWish = z.input<Change['input']>;
export type Preview = NonNullable<z.output<Change['output']>['preview']>;

export class Access {
  readonly settings: Known<Settings>;
  readonly rights: Known<readonly HeldRight[]>;
  /** What a switch of modes would change, as it was last shown. Nothing is changed before it is confirmed. */
  preview = $state.raw<Preview | null>(null);
  readonly #connect: Connect;
  readonly #attempts: Record<string, Attempt> = {};

  constructor(connect: Connect) {
    this.#connect = connect;
    this.settings = new Known(async () => (await connect().settings_show({})).settings);
    this.rights = new Known(async () => (await connect().rights_list({})).rights);
  }

  /** The attempt at one part of the settings, such as one project. */
  attempt(part: string): Attempt {
    return (this.#attempts[part] ??= new Attempt());
  }

  /** Asks for a change. True when it is made; false when it failed, or when its effect has to be seen and confirmed first. */
  async change(part: string, wish: SettingsWish): Promise<boolean> {
    const changed = await this.attempt(part).run(() => this.#connect().settings_change(wish));
    if (changed !== undefined) {
      this.settings.set(changed.settings);
      this.preview = changed.preview;
    }
    await this.refreshSeen();
    return changed?.applied === true;
  }

  /** Makes the switch that was shown. What was confirmed is exactly that; if it is not so any more, nothing is changed. */
  async confirm(): Promise<boolean> {
    const { preview } = this;
    if (preview === null) return false;
    return this.change('mode', { accessMode: preview.to, confirmation: preview.confirmation });
  }

  /** Asks anew for what a view has looked at. */
  async refreshSeen(): Promise<void> {
    const seen = [this.settings, this.rights].filter((known) => known.value !== null);
    await Promise.all(seen.map((known) => known.refresh()));
  }

  rightsOf(principal: string): RightGroup[] {
    return grouped((this.rights.value ?? []).filter((held) => held.principal === principal));
  }
}

export interface RightGroup {
  projects: string[];
  right: Right;
}

/** Projects with the same right in one line; where nothing may be done is left out. */
export function grouped(held: readonly HeldRight[]): RightGroup[] {
  const groups: RightGroup[] = [];
  for (const { project, right } of held.filter((one) => one.right.scopes.length > 0)) {
    const same = groups.find((group) => isSame(group.right, right));
    if (same === undefined) groups.push({ projects: [project], right });
    else same.projects.push(project);
  }
  return groups;
}

const isSame = (left: Right, right: Right): boolean =>
  JSON.stringify([left.scopes, left.asked]) === JSON.stringify([right.scopes, right.asked]);
