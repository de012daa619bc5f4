// The MCP inspector's command line: one process a request, configured by a file, as its own users run it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { ensurePeer, freePort, programOf } from './peers.ts';

/** How to reach a server, as `mcpServers` entries say it. */
export type ServerEntry =
  | { command: string; args: string[] }
  | { type: 'streamable-http'; url: string; headers?: Record<string, string>; oauth?: { scopes: string } };
export type Era = 'legacy' | 'modern';

export interface Printed {
  exitCode: number;
  stdout: string;
  stderr: string;
}

export interface Inspector {
  run(...flags: string[]): Promise<Printed>;
  /** Runs as if at a terminal, answering `typed`: gives the page that it asks its user to open, and how it ended. */
  ask(flags: string[], typed?: string): Promise<{ page: string; printed: Promise<Printed> }>;
}

export const installInspector = (): Promise<string> => ensurePeer('@modelcontextprotocol/inspector', '2.12.0');

// It opens a browser itself unless told not to, and asks for a sign-in only where a person can answer.
const atTerminal = { MCP_AUTO_OPEN_ENABLED: 'false', NODE_OPTIONS: '--import data:text/javascript,process.stderr.isTTY=true' };
const PAGE = /Please navigate to: (\S+)/;

let configurations = 0;

/** `place` is a folder for its configuration and for whatever it keeps at home. */
export async function inspect(entry: ServerEntry, place: string, era: Era): Promise<Inspector> {
  const program = programOf(await installInspector(), 'mcp-inspector');
  const config = join(place, `inspector-${(configurations += 1)}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers: { drawbridge: entry } }));
  const common = ['--cli', '--config', config, '--server', 'drawbridge', '--protocol-era', era, '--format', 'json'];
  // What it was given has to outlive the process, and never lie in the keychain of whoever runs the tests.
  const env = { HOME: place, NO_COLOR: '1', MCP_INSPECTOR_SECRET_STORE: 'file', MCP_STORAGE_DIR: join(place, `kept-${era}`) };
  const spawn = (flags: string[], more: Record<string, string>, typed?: string) =>
    execa(process.execPath, [program, ...common, ...flags], {
      env: { ...env, ...more },
      reject: false,
      ...(typed === undefined ? { stdin: 'ignore' } : { input: typed }),
    });
  return {
    run: (...flags) => endOf(spawn(flags, {})),
    async ask(flags, typed) {
      // It names the port to the authorization server before it listens there, so that it cannot be left to choose one.
      const child = spawn([...flags, '--callback-url', `http://127.0.0.1:${await freePort()}/oauth/callback`], atTerminal, typed);
      let said = '';
      const asked = new Promise<string>((resolve) =>
        child.stderr?.on('data', (chunk: Buffer) => {
          const page = PAGE.exec((said += chunk.toString()))?.[1];
          if (page !== undefined) resolve(page);
        }),
      );
      const printed = endOf(child);
      const page = await Promise.race([asked, printed]);
      if (typeof page !== 'string') throw new Error(`The inspector asked for no sign-in: ${page.stdout}${page.stderr}`);
      return { page, printed };
    },
  };
}

async function endOf(child: PromiseLike<{ exitCode?: number; stdout?: unknown; stderr?: unknown }>): Promise<Printed> {
  const { exitCode = -1, stdout, stderr } = await child;
  return { exitCode, stdout: String(stdout), stderr: String(stderr) };
}
