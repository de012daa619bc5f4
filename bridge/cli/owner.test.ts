// The owner's commands in real processes, with and without a bridge that runs.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { place, type Place } from '../testing/program.ts';

let here: Place;
beforeEach(() => void (here = place()));
afterEach(() => here[Symbol.asyncDispose]());

describe('the owner’s commands', () => {
  it.each([
    ['without a bridge', false],
    ['through the bridge that runs', true],
  ])('work %s', async (_what, isRunning) => {
    if (isRunning) await here.start();
    const added = await here.run('project', 'add', '.');
    expect(added).toMatchObject({ code: 0, stdout: expect.stringContaining(here.project) as string });
    const { projects } = JSON.parse((await here.run('project', 'list', '--json')).stdout) as {
      projects: { projectId: string; root: string }[];
    };
    expect(projects).toMatchObject([{ root: here.project, readiness: 'ready' }]);
    const issued = await here.run('token', '--name', 'x', '--scopes', 'read', '--project', projects[0]?.projectId ?? '', '--days', '1');
    expect(issued.stdout).toMatch(/^dbr_[\w-]{43}\n$/);
    expect((await here.run('approvals')).stdout).toBe('Nothing waits for you.\n');
    expect((await here.run('project', 'remove', here.project)).code).toBe(0);
    expect((await here.run('project', 'list')).stdout).toBe('');
  });

  it.each([
    ['first', (home: string) => ['--home', home, '--json', 'project', 'list']],
    ['between', (home: string) => ['project', '--json', `--home=${home}`, 'list']],
    ['last', (home: string) => ['project', 'list', '--json', '--home', home]],
    ['with nothing else', (home: string) => ['project', '--home', home, '--json']],
  ])('find the state folder and --json written %s', async (_where, argsOf) => {
    const other = join(here.userHome, 'elsewhere');
    const added = await here.run('project', 'add', '.', '--home', other);
    expect(added.stdout).toContain(here.project);
    const listed = await here.run(...argsOf(other));
    expect(JSON.parse(listed.stdout)).toMatchObject({ projects: [{ root: here.project }] });
    expect((await here.run('project', 'list')).stdout).toBe('');
  });

  it('list the tokens and revoke one by its id', async () => {
    const issue = async (name: string) =>
      JSON.parse((await here.run('token', '--json', '--name', name)).stdout) as { bearer: string; token: { tokenId: string } };
    const [kept, ended] = [await issue('list'), await issue('a\u001b[2J')];
    const revoked = await here.run('token', 'revoke', ended.token.tokenId);
    expect([revoked.code, revoked.stdout]).toEqual([0, expect.stringContaining(`${ended.token.tokenId}  revoked`)]);
    const { stdout } = await here.run('token', 'list');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.find((line) => line.startsWith(kept.token.tokenId))).toMatch(/until \d{4}-.*read,write {2}every project {2}list$/);
    expect(lines.find((line) => line.startsWith(ended.token.tokenId))).toMatch(/revoked .*a\\u\{1b\}\[2J$/);
    expect(stdout).not.toContain(kept.bearer);
    const { tokens } = JSON.parse((await here.run('token', 'list', '--json')).stdout) as {
      tokens: { tokenId: string; revokedAt: number | null }[];
    };
    expect(tokens.find(({ tokenId }) => tokenId === ended.token.tokenId)?.revokedAt).toBeGreaterThan(0);
    expect(await here.run('token', 'revoke', 'tok_0000000000')).toMatchObject({ code: 1, stdout: '' });
  });

  it('call input that the bridge refuses wrong usage, in the words of the bridge', async () => {
    const { code, stdout, stderr } = await here.run('token', '--name', '');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^token_issue does not take this input: name .*\. Nothing was done\.\n$/);
  });

  it('connect writes into the client’s own file and keeps what is there', async () => {
    const file = join(here.project, '.mcp.json');
    writeFileSync(file, '{\n  "mcpServers": {\n    "other": {}\n  }\n}\n');
    expect((await here.run('connect', 'claude-code', '--write')).code).toBe(0);
    const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as { mcpServers: Record<string, { command: string; args: string[] }> };
    expect(Object.keys(mcpServers)).toEqual(['other', 'drawbridge']);
    const { command, args } = mcpServers['drawbridge'] ?? { command: '', args: [] };
    expect([command, args.slice(1)]).toEqual([process.execPath, ['stdio', '--home', here.home, '--root', here.project]]);
    expect((await here.run('connect', 'codex', '--write')).code).toBe(0);
    expect(readFileSync(join(here.userHome, '.codex', 'config.toml'), 'utf8')).toContain('[mcp_servers.drawbridge]');
    writeFileSync(file, '{ // mine\n}');
    const refused = await here.run('connect', 'claude-code', '--write');
    expect(refused).toMatchObject({ code: 1, stdout: expect.stringContaining('"drawbridge"') as string });
    expect(readFileSync(file, 'utf8')).toBe('{ // mine\n}');
    const { stdout } = await here.run('connect', 'gemini');
    expect(stdout).toContain('"httpUrl": "http://127.0.0.1:');
    expect(stdout).toContain('# then, to sign in:\n/mcp auth drawbridge\n');
    expect(stdout).not.toMatch(/Authorization|DRAWBRIDGE_TOKEN/);
  });

  it('doctor says what works, and names a state folder that others may read', async () => {
    const { stdout } = await here.run('doctor', '--json');
    const { checks, running } = JSON.parse(stdout) as { checks: { name: string; status: string; mend: string | null }[]; running: unknown };
    expect(running).toBeNull();
    expect(checks.find(({ name }) => name === 'node')?.status).toBe('ok');
    expect(checks.find(({ name }) => name === 'ripgrep')?.status).toBe('ok');
    for (const { status, mend } of checks) expect(status === 'ok').toBe(mend === null);
    await here.run('project', 'list');
    writeFileSync(join(here.home, 'open'), '', { mode: 0o644 });
    const open = await here.run('doctor');
    expect(open.code).toBe(1);
    expect(open.stdout).toMatch(/MISSING state folder.*\n.*chmod/);
  });
});
