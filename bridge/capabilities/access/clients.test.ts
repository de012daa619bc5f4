// Each client's set-up in the form it documents, and command lines that a real shell reads back word for word.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientKinds } from '#shared/contracts/owner.ts';
import { clientEntries, clientNames, clientSetup, textOf, type SetupFacts } from './clients.ts';

const facts = (client: SetupFacts['client'], over: Partial<SetupFacts> = {}): SetupFacts => ({
  client,
  launch: { command: '/opt/node', args: ['/opt/drawbridge/main.js', 'stdio'] },
  root: "/home/o'neil/my project",
  mcpUrl: 'http://127.0.0.1:21730/mcp',
  userHome: "/home/o'neil",
  platform: 'linux',
  ...over,
});

describe('client set-up', () => {
  it('knows every client of the contract', () => {
    expect([...clientNames].sort()).toEqual([...clientKinds].sort());
  });

  it.each(clientKinds)('%s: names a file, and its text holds program and project', (client) => {
    const { stdio, http } = clientSetup(facts(client));
    expect(stdio.file).toMatch(/^\/home\/o'neil\/.*(json|toml)$/);
    expect(stdio.text).toContain('/opt/drawbridge/main.js');
    expect(stdio.text).toContain("/home/o'neil/my project");
    expect(http.text).toContain('http://127.0.0.1:21730/mcp');
  });

  it.each(clientKinds)('S05 %s: no set-up carries a token, only where it comes from', (client) => {
    const { http } = clientSetup(facts(client));
    expect(http.text + (http.command ?? '')).not.toMatch(/dbr_/);
    expect(http.text).toMatch(/DRAWBRIDGE_TOKEN|drawbridge-token|<token>/);
  });

  it('writes what each client reads', () => {
    const value = (client: SetupFacts['client'], over?: Partial<SetupFacts>) =>
      JSON.parse(clientSetup(facts(client, over)).stdio.text) as unknown;
    const entry = { command: '/opt/node', args: ['/opt/drawbridge/main.js', 'stdio', '--root', "/home/o'neil/my project"] };
    expect(value('claude-code')).toEqual({ mcpServers: { drawbridge: entry } });
    expect(value('cursor')).toEqual({ mcpServers: { drawbridge: entry } });
    expect(value('gemini')).toEqual({ mcpServers: { drawbridge: entry } });
    expect(value('vscode')).toEqual({ servers: { drawbridge: { type: 'stdio', ...entry } } });
    expect(value('opencode')).toEqual({ mcp: { drawbridge: { type: 'local', command: [entry.command, ...entry.args], enabled: true } } });
    expect(clientSetup(facts('codex')).stdio.text).toBe(
      `[mcp_servers.drawbridge]\ncommand = "/opt/node"\nargs = ${JSON.stringify(entry.args)}\n`,
    );
    expect(clientSetup(facts('codex')).http.text).toContain('bearer_token_env_var = "DRAWBRIDGE_TOKEN"');
  });

  it("writes Windows paths in Windows' own form", () => {
    const windows = facts('claude-desktop', { platform: 'win32', userHome: 'C:\\Users\\o', root: 'C:\\a "b"\\' });
    expect(clientEntries(windows).stdio.file).toBe('C:\\Users\\o\\AppData\\Roaming\\Claude\\claude_desktop_config.json');
    const { command } = clientSetup({ ...windows, client: 'codex' }).stdio;
    expect(command).toContain('--root "C:\\a \\"b\\"\\\\"');
  });

  it('command lines survive a shell, whatever the folder is called (property)', () => {
    const name = fc.string({ minLength: 1 }).filter((text) => !text.includes('\0'));
    fc.assert(
      fc.property(name, (folder) => {
        const { command } = clientSetup(facts('codex', { root: `/p/${folder}` })).stdio;
        const words = execFileSync('/bin/sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' }).split('\0');
        expect(words.at(-2)).toBe(`/p/${folder}`);
      }),
      { numRuns: 40 },
    );
  });

  it('its own entry is the whole of its text', () => {
    const entry = clientEntries(facts('vscode')).http;
    expect(JSON.parse(textOf(entry))).toMatchObject({ inputs: [{ id: 'drawbridge-token', password: true }] });
  });
});
