// The file and change operations over a real project, a real store and real blobs, called as the pipeline calls them once it has decided.
import { lstatSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createBlobs, type Blobs } from '../base/blobs/blobs.ts';
import { sha256 } from '../base/digest.ts';
import { silentLog } from '../base/log.ts';
import { changeOperations } from '../capabilities/changes/operations.ts';
import { createChanges, type ChangeParts, type Changes } from '../capabilities/changes/service.ts';
import { editOperations } from '../capabilities/edits/operations.ts';
import { createFiles } from '../capabilities/files/service.ts';
import { createManifests, manifestLimits, type ManifestLimits, type Manifests } from '../capabilities/manifests/service.ts';
import type { Asked, Call, Caller, Operation, Outcome } from '../operation.ts';
import { testState, type TestState } from './state.ts';
import { workspace, type Workspace } from './workspace.ts';

/** A caller by its principal; `owner` is the owner. */
export const callerOf = (principal: string): Caller => ({
  kind: principal === 'owner' ? 'owner' : 'client',
  principal,
  name: principal,
  scopes: new Set(['read', 'write', 'owner']),
  projectIds: null,
});

export interface Ask {
  caller?: string;
  reservation?: string;
  signal?: AbortSignal;
}

export interface Desk extends AsyncDisposable {
  ws: Workspace;
  state: TestState;
  blobs: Blobs;
  changes: Changes;
  manifests: Manifests;
  /** A call as the pipeline makes it, for what is below the operations. */
  callFor(operation: string, ask?: Ask): Call;
  /** Checks input and answer against the contract. Failures are thrown. */
  call(operation: string, input: Record<string, unknown>, ask?: Ask): Promise<Answered>;
  asks(operation: string, input: Record<string, unknown>, ask?: Ask): Promise<Asked | null>;
  /** The question about a call, and the call itself as the pipeline makes it once that was answered: with the very same input. */
  allowed(operation: string, input: Record<string, unknown>, between?: () => unknown): Promise<{ asked: Asked | null; answer: Answered }>;
  /** The code of the refusal, or OK. */
  code(operation: string, input: Record<string, unknown>, ask?: Ask): Promise<string>;
  hash(path: string): string;
  /** Every entry of the project: a file by hash and mode, a link by where it leads. */
  snapshot(): Record<string, string>;
}

/** What tests look at most, without a cast at every place. */
export interface Answered extends Outcome {
  data: Record<string, unknown> & { changesetId: string };
}

export interface DeskWishes {
  files?: Record<string, string | Uint8Array>;
  capBytes?: number;
  limits?: ManifestLimits;
  onStage?: ChangeParts['onStage'];
}

export async function desk({ files = {}, capBytes = 1 << 30, limits = manifestLimits, onStage }: DeskWishes = {}): Promise<Desk> {
  const ws = await workspace(files);
  const state = testState();
  const { store, clock } = state;
  const blobs = createBlobs({ dir: join(state.home, 'blobs'), store, capBytes, clock });
  const service = createFiles({ clock, log: silentLog });
  const projects = { open: async () => ws.project };
  const changes = createChanges({ store, blobs, files: service, clock, log: silentLog, projects, ...(onStage && { onStage }) });
  const manifests = createManifests({ store, blobs, files: service, clock, log: silentLog, changes, projects, limits });
  const operations = new Map([...editOperations(changes, service), ...changeOperations(changes)].map((one) => [one.name, one]));
  const find = (name: string): Operation => {
    const operation = operations.get(name);
    if (operation === undefined) throw new Error(`No operation ${name}.`);
    return operation;
  };

  const parsed = (name: string, input: Record<string, unknown>) => find(name).contract.input.parse(input);

  async function run(name: string, input: Record<string, unknown>, ask: Ask = {}): Promise<Answered> {
    const outcome = await find(name).run(input, callOf(name, ws, ask));
    return { ...outcome, data: find(name).contract.output.parse(outcome.data) } as Answered;
  }

  const call = async (name: string, input: Record<string, unknown>, ask: Ask = {}) => run(name, parsed(name, input), ask);

  return {
    ws,
    state,
    blobs,
    changes,
    manifests,
    callFor: (operation, ask = {}) => callOf(operation, ws, ask),
    call,
    asks: async (name, input, ask = {}) => (await find(name).asks?.(parsed(name, input), callOf(name, ws, ask))) ?? null,
    async allowed(name, raw, between) {
      const input = parsed(name, raw);
      const asked = (await find(name).asks?.(input, callOf(name, ws, {}))) ?? null;
      await between?.();
      return { asked, answer: await run(name, input) };
    },
    code: (name, input, ask) => call(name, input, ask).then(() => 'OK', codeOf),
    hash: (path) => sha256(ws.bytes(path)),
    snapshot: () => Object.fromEntries(ws.list().map((path) => [path, entryOf(ws, path)])),
    async [Symbol.asyncDispose]() {
      state[Symbol.dispose]();
      await ws[Symbol.asyncDispose]();
    },
  };
}

function entryOf(ws: Workspace, path: string): string {
  const stats = lstatSync(ws.path(path));
  if (stats.isDirectory()) return 'folder';
  if (stats.isSymbolicLink()) return `link to ${readlinkSync(ws.path(path))}`;
  return `${(stats.mode & 0o7777).toString(8)} ${sha256(ws.bytes(path))}`;
}

function callOf(operation: string, ws: Workspace, { caller = 'token:a', reservation, signal }: Ask): Call {
  return {
    operation,
    caller: callerOf(caller),
    project: ws.project,
    hasProject: true,
    signal: signal ?? new AbortController().signal,
    surface: 'test',
    session: 'test',
    reservation: reservation ?? null,
  };
}

function codeOf(error: unknown): string {
  const code = (error as { code?: unknown }).code;
  if (typeof code !== 'string') throw error;
  return code;
}
