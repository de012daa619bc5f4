// Each client's set-up in the form it documents, and command lines that a real shell reads back word for word.
import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { clientKinds } from '#shared/contracts/owner.ts';
import { clientEntries, clientNames, clientSetup, type SetupFacts } from './clients.ts';

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

  it.each(clientKinds)('S05 %s: no set-up carries a token or a word of where one lies, only the plain address', (client) => {
    const { http } = clientSetup(facts(client));
    expect(http.text + (http.command ?? '')).not.toMatch(/dbr_|bearer|authorization|header|token/i);
    expect(http.text.match(/https?:[^"]*/g)).toEqual(['http://127.0.0.1:21730/mcp']);
  });

  it('over HTTP each client has the address in the form that it documents, and says what to type so that it signs in', () => {
    const url = 'http://127.0.0.1:21730/mcp';
    const entries: Record<SetupFacts['client'], [object, string | null]> = {
      'claude-code': [{ mcpServers: { drawbridge: { type: 'http', url } } }, '/mcp'],
      'claude-desktop': [
        { mcpServers: { drawbridge: { command: 'npx', args: ['-y', 'mcp-remote', url, '--auth-timeout', '600'] } } },
        null,
      ],
      cursor: [{ mcpServers: { drawbridge: { url } } }, null],
      codex: [{}, 'codex mcp login drawbridge'],
      vscode: [{ servers: { drawbridge: { type: 'http', url } } }, null],
      opencode: [{ mcp: { drawbridge: { type: 'remote', url, enabled: true } } }, '/mcps'],
      gemini: [{ mcpServers: { drawbridge: { httpUrl: url } } }, '/mcp auth drawbridge'],
    };
    for (const client of clientKinds) {
      const { http } = clientSetup(facts(client));
      const [value, signIn] = entries[client];
      if (client === 'codex') expect(http.text).toBe(`[mcp_servers.drawbridge]\nurl = "${url}"\n`);
      else expect(JSON.parse(http.text)).toEqual(value);
      expect(http.signIn).toBe(signIn);
    }
    const commands = clientKinds.map((client) => clientSetup(facts(client)).http.command);
    expect(commands.filter((command) => command !== null)).toEqual([
      `claude mcp add --scope project --transport http drawbridge ${url}`,
      `codex mcp add drawbridge --url ${url}`,
      `code --add-mcp '{"name":"drawbridge","type":"http","url":"${url}"}'`,
      `gemini mcp add --transport http drawbridge ${url}`,
    ]);
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
});
