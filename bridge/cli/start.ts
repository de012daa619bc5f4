// drawbridge start: the bridge and its console until a signal ends them. It says where they are once both accept, and not before.
import { resolve } from 'node:path';
import { createLog } from '../base/log.ts';
import { openInBrowser } from '../base/process/open.ts';
import { openBridge, type OwnBridge } from './bridge.ts';
import { findPlace, type Place } from './home.ts';
import { remark, say } from './output.ts';
import { untilTold } from './signals.ts';

export interface StartOptions {
  home?: string;
  project: string[];
  mcpPort: number;
  consolePort: number;
  open: boolean;
  json: boolean;
}

/** The object that `--json` prints as the first and only line. */
interface Ready {
  version: string;
  pid: number;
  mcpUrl: string | null;
  consoleUrl: string | null;
  ownerLink: string;
  home: string;
  projects: { projectId: string; root: string }[];
}

export async function start(options: StartOptions): Promise<void> {
  const told = untilTold();
  const place = findPlace(options.home);
  const log = createLog();
  const bridge = await openBridge({ place, log, ports: { mcpPort: options.mcpPort, consolePort: options.consolePort } });
  try {
    for (const root of options.project) await bridge.app.projects.add(resolve(root));
    await announce(await describe(place, bridge), options);
    log.info({ signal: await told }, 'stopping');
  } finally {
    await bridge.close();
  }
}

async function describe({ installation, locations }: Place, { app }: OwnBridge): Promise<Ready> {
  const projects = await app.projects.list();
  return {
    version: installation.version,
    pid: process.pid,
    ...app.address,
    ownerLink: app.createLink().ownerLink,
    home: locations.home,
    projects: projects.map(({ projectId, root }) => ({ projectId, root })),
  };
}

async function announce(ready: Ready, { json, open }: StartOptions): Promise<void> {
  if (json) return say(JSON.stringify(ready));
  const roots = ready.projects.map(({ root }) => `            ${root}`);
  say(`Drawbridge ${ready.version} is up.`);
  say(`  console   ${ready.ownerLink}`);
  say('            (this link works once, within ten minutes; "drawbridge link" makes another)');
  say(`  MCP       ${ready.mcpUrl}`);
  say(
    `  projects  ${roots.length === 0 ? 'none yet; add one in the console or with "drawbridge project add DIR"' : roots.join('\n').trim()}`,
  );
  say('Ctrl-C ends it.');
  if (open && process.stdin.isTTY && !(await openInBrowser(ready.ownerLink)))
    remark('No browser could be opened here; open the link yourself.');
}
