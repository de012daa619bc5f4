// The MCP inspector's command line: one process a request, configured by a file, as its own users run it.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import { ensurePeer, programOf } from './peers.ts';

/** How to reach a server, as `mcpServers` entries say it. */
export type ServerEntry = { command: string; args: string[] } | { type: 'streamable-http'; url: string; headers: Record<string, string> };

export interface Inspector {
  run(...flags: string[]): Promise<{ exitCode: number; stdout: string; stderr: string }>;
}

export const installInspector = (): Promise<string> => ensurePeer('@modelcontextprotocol/inspector', '2.12.0');

/** `place` is a folder for its configuration and for whatever it keeps at home. */
export async function inspect(entry: ServerEntry, place: string, era: 'legacy' | 'modern'): Promise<Inspector> {
  const program = programOf(await installInspector(), 'mcp-inspector');
  const config = join(place, `inspector-${era}.json`);
  writeFileSync(config, JSON.stringify({ mcpServers: { drawbridge: entry } }));
  const common = ['--cli', '--config', config, '--server', 'drawbridge', '--protocol-era', era, '--format', 'json'];
  return {
    async run(...flags) {
      const env = { HOME: place, MCP_INSPECTOR_SECRET_STORE: 'memory' };
      const { exitCode, stdout, stderr } = await execa(process.execPath, [program, ...common, ...flags], {
        env,
        reject: false,
        stdin: 'ignore',
      });
      return { exitCode: exitCode ?? -1, stdout, stderr };
    },
  };
}
