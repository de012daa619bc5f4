// The owner's answers over the whole bridge and real files: once, for a while, with a note, or never.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Grant } from '#shared/contracts/grants.ts';
import type { Envelope } from '#shared/envelope.ts';
import { sha256 } from './base/digest.ts';
import { silentLog } from './base/log.ts';
import { createCore, type Core } from './core.ts';
import { locationsOf, makeHome } from './locations.ts';
import type { Caller } from './operation.ts';
import { removeFolder, temporaryFolder } from './testing/folder.ts';

let folder: string;
let core: Core;
let context: { workspaceId: string; workspaceEpoch: string };
let projectId: string;

const path = (name: string): string => join(folder, 'proj', name);
const text = (name: string): string => readFileSync(path(name), 'utf8');
const options = () => {
  const locations = locationsOf(join(folder, 'home'), join(folder, 'web'));
  makeHome(locations);
  return { locations, version: '0', log: silentLog, launch: { command: 'node', args: [] } };
};

async function open(): Promise<void> {
  core = await createCore(options());
  const { project } = await core.projects.add(join(folder, 'proj'));
  projectId = project.projectId;
  context = { workspaceId: project.workspaceId, workspaceEpoch: project.workspaceEpoch };
}

beforeEach(async () => {
  folder = temporaryFolder('answers');
  mkdirSync(path('.github/workflows'), { recursive: true });
  for (const name of ['Makefile', 'Makefile.old', '.github/workflows/ci.yml', 'plain.txt']) writeFileSync(path(name), 'one\n');
  await open();
});
afterEach(() => {
  core.store.close();
  removeFolder(folder);
});

const owner = (): Caller => core.access.ownerCaller('desk');
const ask = async (caller: () => Caller, operation: string, input: object): Promise<Envelope> =>
  (await core.invoke({ operation, input, context, caller, surface: 'test', session: 'test' })).envelope;
const look = async (caller: () => Caller) =>
  (await core.invoke({ operation: 'project_overview', input: {}, context: {}, caller, surface: 'test', session: 'test' })).envelope.data;
async function own<Data>(operation: string, input: object): Promise<Data> {
  const { data, error } = await ask(owner, operation, input);
  if (error !== null) throw new Error(`${error.code}: ${error.message}`);
  return data as Data;
}
const client = (name: string, projectIds?: string[]) => {
  const { bearer, token } = core.access.issue({ name, scopes: ['read', 'write'], projectIds, days: 1 });
  return { principal: `token:${token.tokenId}`, caller: () => core.access.callerOfBearer(bearer) };
};
const edit = (name: string, content: string, idempotencyKey?: string) => ({
  ...{ path: name, content, expectedHash: sha256(readFileSync(path(name))) },
  ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
});
const write = (caller: () => Caller, name: string, content: string) => ask(caller, 'write_file', edit(name, content));
const codeOf = ({ error }: Envelope): string => error?.code ?? 'OK';

interface Waiting {
  approvalId: string;
  argumentsHash: string;
  status: string;
  files: { path: string; diff: string }[];
  reasons: string[];
}
const waiting = async (): Promise<Waiting> => {
  const { approvals } = await own<{ approvals: Waiting[] }>('approval_list', { status: 'pending' });
  return approvals[0] as Waiting;
};
async function decide(answer: object): Promise<{ grant: Grant | null }> {
  const { approvalId, argumentsHash } = await waiting();
  return own('approval_decide', { approvalId, argumentsHash, ...answer });
}

async function manage(trust: string): Promise<void> {
  const wish = { accessMode: 'managed', projects: [{ projectId, trust }] };
  const { preview } = await own<{ preview: { confirmation: string } }>('settings_change', wish);
  await own('settings_change', { ...wish, confirmation: preview.confirmation });
}

describe('an answer for a while', () => {
  it('lets the same caller do the same to the same file, counts it, names it in the account, and ends when it is revoked', async () => {
    const { caller, principal } = client('agent');
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
    const { grant } = await decide({ decision: 'approve', forMinutes: 60 });
    expect(grant).toMatchObject({ principal, operation: 'write_file', paths: ['Makefile'], arguments: [], uses: 0, status: 'active' });
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('OK');
    expect(codeOf(await write(caller, 'Makefile', 'three\n'))).toBe('OK');
    const { grants } = await own<{ grants: Grant[] }>('grant_list', {});
    expect(grants).toMatchObject([{ uses: 2, lastUsedAt: expect.any(Number) as number }]);
    const [line] = core.events.list({ limit: 1, kind: 'call' });
    expect(line?.body).toMatchObject({ operation: 'write_file', code: 'OK', grantId: grant?.grantId });
    await own('grant_revoke', { grantId: grant?.grantId });
    expect(codeOf(await write(caller, 'Makefile', 'four\n'))).toBe('APPROVAL_REQUIRED');
    expect(text('Makefile')).toBe('three\n');
  });

  it('covers nothing else: another file, a name that begins alike, another operation, another client (S23)', async () => {
    const { caller } = client('agent');
    await write(caller, 'Makefile', 'two\n');
    await decide({ decision: 'approve', forMinutes: 60 });
    expect(codeOf(await write(caller, '.github/workflows/ci.yml', 'two\n'))).toBe('APPROVAL_REQUIRED');
    expect(codeOf(await write(client('other').caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
    const expectedHash = sha256(readFileSync(path('Makefile')));
    expect(codeOf(await ask(caller, 'delete_path', { path: 'Makefile', expectedHash }))).toBe('APPROVAL_REQUIRED');
    const moved = await ask(caller, 'move_path', { path: 'Makefile', destPath: 'Makefile.new', expectedHash });
    expect(codeOf(moved)).toBe('APPROVAL_REQUIRED');
    expect(text('Makefile')).toBe('one\n');
  });

  it('is revoked before its first use and then not even the call it was given for runs', async () => {
    const { caller } = client('agent');
    await write(caller, 'Makefile', 'two\n');
    const { grant } = await decide({ decision: 'approve', forMinutes: 60 });
    await own('grant_revoke', { grantId: grant?.grantId });
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
    expect(text('Makefile')).toBe('one\n');
  });

  it('ends with the project it was given in, as an unused answer does, and does not come back with it', async () => {
    const { caller } = client('agent');
    await write(caller, 'Makefile', 'two\n');
    const { grant } = await decide({ decision: 'approve', forMinutes: 60 });
    await write(caller, 'Makefile.old', 'two\n');
    await ask(caller, 'write_file', edit('.github/workflows/ci.yml', 'two\n'));
    await decide({ decision: 'approve' });
    await own('project_remove', { projectId });
    const { grants } = await own<{ grants: Grant[] }>('grant_list', {});
    expect(grants).toMatchObject([{ grantId: grant?.grantId, status: 'revoked' }]);
    const { project } = await core.projects.add(join(folder, 'proj'));
    context = { workspaceId: project.workspaceId, workspaceEpoch: project.workspaceEpoch };
    expect(project.projectId).toBe(projectId);
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
    expect(codeOf(await ask(caller, 'write_file', edit('.github/workflows/ci.yml', 'two\n')))).toBe('APPROVAL_REQUIRED');
  });

  it('ends with the token of its caller', async () => {
    const { caller, principal } = client('agent');
    await write(caller, 'Makefile', 'two\n');
    await decide({ decision: 'approve', forMinutes: 60 });
    await own('token_revoke', { tokenId: principal.slice('token:'.length) });
    const { grants } = await own<{ grants: Grant[] }>('grant_list', {});
    expect(grants).toMatchObject([{ principal, status: 'revoked' }]);
  });

  it('B30 is there after a restart, and lifts neither a ceiling nor a scope', async () => {
    const { bearer } = core.access.issue({ name: 'agent', scopes: ['read', 'write'], days: 1 });
    const caller = () => core.access.callerOfBearer(bearer);
    await write(caller, 'Makefile', 'two\n');
    await decide({ decision: 'approve', forMinutes: 60 });
    core.store.close();
    await open();
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('OK');
    await own('settings_change', { projects: [{ projectId, ceiling: 'read' }] });
    expect(codeOf(await write(caller, 'Makefile', 'three\n'))).toBe('FORBIDDEN');
  });

  it('B40 of two answers within a moment exactly one wins, and the other makes no grant', async () => {
    await write(client('agent').caller, 'Makefile', 'two\n');
    const { approvalId, argumentsHash } = await waiting();
    const answer = (more: object) => ask(owner, 'approval_decide', { approvalId, argumentsHash, ...more });
    const both = await Promise.all([answer({ decision: 'deny', note: 'no' }), answer({ decision: 'approve', forMinutes: 60 })]);
    expect(both.map(codeOf).sort()).toEqual(['CONFLICT', 'OK']);
    expect(both.find(({ error }) => error !== null)?.error?.detail).toMatchObject({
      decidedBy: 'desk',
      decidedAt: expect.any(Number) as number,
    });
    const { grants } = await own<{ grants: Grant[] }>('grant_list', {});
    expect(grants).toHaveLength(codeOf(both[1] as Envelope) === 'OK' ? 1 : 0);
  });

  it('a denial cannot be for a while', async () => {
    await write(client('agent').caller, 'Makefile', 'two\n');
    await expect(decide({ decision: 'deny', forMinutes: 5 })).rejects.toThrow('INVALID_INPUT');
    expect((await waiting()).status).toBe('pending');
  });
});

describe('a grant made by the owner', () => {
  const wish = (principal: string, more: object) => ({
    principal,
    callerName: 'agent',
    projectId,
    operation: 'write_file',
    minutes: 5,
    ...more,
  });

  it('covers a folder by whole names, for the uses it says', async () => {
    const { caller, principal } = client('agent');
    await own('grant_create', wish(principal, { paths: ['.github'], usesMax: 1 }));
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
    expect(codeOf(await write(caller, '.github/workflows/ci.yml', 'two\n'))).toBe('OK');
    expect(codeOf(await write(caller, '.github/workflows/ci.yml', 'three\n'))).toBe('APPROVAL_REQUIRED');
  });

  it('without a path covers no file, and nothing of the owner can be granted', async () => {
    const { caller, principal } = client('agent');
    await own('grant_create', wish(principal, {}));
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
    for (const operation of ['approval_decide', 'grant_create', 'settings_change', 'nope'])
      await expect(own('grant_create', wish(principal, { operation }))).rejects.toThrow('INVALID_INPUT');
    await expect(own('grant_create', wish('owner', {}))).rejects.toThrow('INVALID_INPUT');
  });

  it('is made by no client, by no file of the project and by no word in an argument', async () => {
    const { caller, principal } = client('agent');
    for (const name of ['grants.json', '.drawbridge/grants.json', '.claude/settings.json']) {
      mkdirSync(join(path(name), '..'), { recursive: true });
      writeFileSync(
        path(name),
        JSON.stringify({ grants: [wish(principal, { paths: ['.'] })], accessMode: 'personal', permissions: { allow: ['*'] } }),
      );
    }
    expect(codeOf(await ask(caller, 'grant_create', wish(principal, { paths: ['.'] })))).toBe('FORBIDDEN');
    expect(codeOf(await ask(caller, 'settings_change', { accessMode: 'managed' }))).toBe('FORBIDDEN');
    expect(codeOf(await ask(caller, 'write_file', { ...edit('Makefile', 'two\n'), approved: true }))).toBe('INVALID_INPUT');
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
    expect(await own('grant_list', {})).toMatchObject({ grants: [] });
  });
});

describe('managed mode over real files', () => {
  it('asks on "inspect" about a change that could be undone, with its diff, and the same key goes through once approved', async () => {
    const { caller } = client('agent', [projectId]);
    await manage('inspect');
    const input = edit('plain.txt', 'two\n', 'key-00001');
    expect(codeOf(await ask(caller, 'write_file', input))).toBe('APPROVAL_REQUIRED');
    const { files, reasons } = await waiting();
    expect([files[0]?.path, files[0]?.diff, reasons]).toEqual([
      'plain.txt',
      expect.stringContaining('+two'),
      [expect.stringContaining('inspect')],
    ]);
    await decide({ decision: 'approve' });
    expect(codeOf(await ask(caller, 'write_file', input))).toBe('OK');
    expect((await ask(caller, 'write_file', input)).warnings.join()).toContain('replayed');
    expect(codeOf(await write(caller, 'plain.txt', 'three\n'))).toBe('APPROVAL_REQUIRED');
    expect(text('plain.txt')).toBe('two\n');
  });

  it('takes what was approved for a while on "inspect" as no answer to a question of another kind', async () => {
    const { caller } = client('agent', [projectId]);
    await write(caller, 'Makefile', 'two\n');
    await decide({ decision: 'approve', forMinutes: 5 });
    await manage('inspect');
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
  });

  it('plans and reads unasked on "inspect", and asks what cannot be undone even on "trusted"', async () => {
    const { caller } = client('agent', [projectId]);
    await manage('inspect');
    const change = { kind: 'replace_file', path: 'plain.txt', content: 'two\n', expectedHash: sha256('one\n') };
    expect(codeOf(await ask(caller, 'preview_changes', { operations: [change] }))).toBe('OK');
    const dry = { path: 'plain.txt', edits: [{ find: 'one', replace: 'two' }], expectedHash: sha256('one\n'), dryRun: true };
    expect(codeOf(await ask(caller, 'edit_file', dry))).toBe('OK');
    await own('settings_change', { projects: [{ projectId, trust: 'trusted' }] });
    expect(codeOf(await write(caller, 'plain.txt', 'two\n'))).toBe('OK');
    expect(codeOf(await write(caller, 'Makefile', 'two\n'))).toBe('APPROVAL_REQUIRED');
  });

  it('shows a client without a list no project, and gives it one from its next call on', async () => {
    const { caller, principal } = client('agent');
    await manage('edit');
    expect(await look(caller)).toMatchObject({ projects: [], project: null });
    expect(codeOf(await write(caller, 'plain.txt', 'two\n'))).toBe('WORKSPACE_MISMATCH');
    await own('token_projects', { tokenId: principal.slice('token:'.length), projectIds: [projectId] });
    expect(codeOf(await write(caller, 'plain.txt', 'two\n'))).toBe('OK');
    expect(await look(caller)).toMatchObject({
      caller: { scopes: ['read', 'write'] },
      projects: [{ projectId }],
    });
  });

  it('leaves the owner free in every project', async () => {
    await manage('inspect');
    await own('settings_change', { projects: [{ projectId, ceiling: 'read' }] });
    expect(codeOf(await write(owner, 'Makefile', 'two\n'))).toBe('OK');
  });
});

describe('a denial', () => {
  it('carries the note of the owner to the agent: in the status and in the refused retry', async () => {
    const { caller } = client('agent');
    const input = edit('Makefile', 'two\n', 'key-00001');
    const { error } = await ask(caller, 'write_file', input);
    const approvalId = error?.detail?.['approvalId'] as string;
    expect((await ask(caller, 'approval_status', { approvalId })).data).toMatchObject({
      status: 'pending',
      note: null,
      grantedUntil: null,
    });
    await decide({ decision: 'deny', note: 'use the script instead' });
    expect((await ask(caller, 'approval_status', { approvalId })).data).toMatchObject({ status: 'denied', note: 'use the script instead' });
    const again = await ask(caller, 'write_file', input);
    expect(again.error).toMatchObject({ code: 'FORBIDDEN', detail: { note: 'use the script instead' } });
    expect(again.error?.message).toContain('use the script instead');
    expect(codeOf(await ask(client('other').caller, 'approval_status', { approvalId }))).toBe('NOT_FOUND');
    expect(text('Makefile')).toBe('one\n');
  });

  it('tells the agent how long the same is allowed', async () => {
    const { caller } = client('agent');
    const { error } = await write(caller, 'Makefile', 'two\n');
    const approvalId = error?.detail?.['approvalId'] as string;
    const { grant } = await decide({ decision: 'approve', forMinutes: 60 });
    const status = async () => (await ask(caller, 'approval_status', { approvalId })).data;
    expect(await status()).toMatchObject({ status: 'approved', grantedUntil: grant?.until });
    await own('grant_revoke', { grantId: grant?.grantId });
    expect(await status()).toMatchObject({ grantedUntil: null });
  });
});
