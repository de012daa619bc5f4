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
    expect((await here.run('connect', 'gemini')).stdout).toContain('httpUrl');
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
