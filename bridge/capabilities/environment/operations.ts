// The machine as an operation: kinds and versions, and no path of it.
import { arch, cpus, platform, release } from 'node:os';
import { basename } from 'node:path';
import { counted } from '#shared/counted.ts';
import { environmentContract } from '#shared/contracts/environment.ts';
import type { AccessMode } from '#shared/contracts/settings.ts';
import { implement, type Operation } from '../../operation.ts';
import { createTools, type ToolParts } from './tools.ts';

export interface EnvironmentParts extends ToolParts {
  accessMode: () => AccessMode;
  searchEngine: string;
  /** Whether the bridge has an operation of that name. */
  has: (operation: string) => boolean;
}

export function environmentOperations({ accessMode, searchEngine, has, ...parts }: EnvironmentParts): Operation[] {
  const { versions } = createTools(parts);
  return implement(environmentContract, {
    environment_info: async () => {
      const tools = await versions();
      const shell = process.env['SHELL'];
      const capabilities = {
        search: searchEngine,
        accessMode: accessMode(),
        commands: has('run_command'),
        git: has('git_status'),
        symbols: has('symbols'),
      };
      const system = {
        os: `${platform()} ${release()}`,
        arch: arch(),
        cpus: cpus().length,
        shell: shell === undefined ? null : basename(shell),
      };
      const found = Object.values(tools).filter((version) => version !== null).length;
      return { data: { ...system, tools, capabilities }, brief: counted(found, 'tool') };
    },
  });
}
