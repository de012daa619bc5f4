// The file operations over one real folder, called as the pipeline calls them: input parsed, answer held to its contract.
import { chownSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { z } from 'zod';
import { filesContract } from '#shared/contracts/files.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { fileOperations } from '../capabilities/files/operations.ts';
import { createFiles } from '../capabilities/files/service.ts';
import { Failed } from '../failed.ts';
import type { Call, Outcome } from '../operation.ts';
import type { Workspace } from './workspace.ts';

type Contract = typeof filesContract;
type Name = keyof Contract;
export type FileAnswer<K extends Name> = Outcome & { data: z.output<Contract[K]['output']> };

export interface TestFiles {
  files: ReturnType<typeof createFiles>;
  call<K extends Name>(name: K, input: z.input<Contract[K]['input']>, caller?: Partial<Call>): Promise<FileAnswer<K>>;
  /** The refusal of a call that has to be refused. */
  refusal<K extends Name>(name: K, input: z.input<Contract[K]['input']>): Promise<Failed>;
}

export function testFiles(ws: Workspace, clock: Clock = systemClock()): TestFiles {
  const files = createFiles({ clock, log: silentLog });
  const operations = new Map(fileOperations(files).map((operation) => [operation.name, operation]));
  const call: TestFiles['call'] = async (name, input, more = {}) => {
    const outcome = await operations.get(name)!.run(filesContract[name].input.parse(input), { ...testCall(ws, name), ...more });
    return { ...outcome, data: filesContract[name].output.parse(outcome.data) } as FileAnswer<typeof name>;
  };
  return {
    files,
    call,
    async refusal(name, input) {
      const outcome = await call(name, input).catch((error: unknown) => error);
      if (!(outcome instanceof Failed)) throw new Error(`${name} was not refused: ${JSON.stringify(outcome)}`);
      return outcome;
    },
  };
}

function testCall(ws: Workspace, operation: string): Call {
  return {
    operation,
    caller: { kind: 'owner', principal: 'owner', name: 'Owner', scopes: new Set(['read']), projectIds: null },
    project: ws.project,
    signal: new AbortController().signal,
    surface: 'test',
    session: 'test',
    reservation: null,
    hasProject: true,
  };
}

const NOBODY = 65534;

/** Runs as a user whom file rights bind. The system's own user is bound by none, so its process steps down meanwhile. */
export async function asOrdinaryUser<T>(ws: Workspace, work: () => Promise<T>): Promise<T> {
  if (process.getuid?.() !== 0) return work();
  give(join(ws.root, '..'));
  process.seteuid?.(NOBODY);
  try {
    return await work();
  } finally {
    process.seteuid?.(0);
  }
}

function give(path: string): void {
  chownSync(path, NOBODY, NOBODY);
  if (!lstatSync(path).isDirectory()) return;
  for (const name of readdirSync(path)) if (!lstatSync(join(path, name)).isSymbolicLink()) give(join(path, name));
}
