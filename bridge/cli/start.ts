// drawbridge start: the bridge and its console until a signal ends them. It says where they are once both accept, and not before.
import { resolve } from 'node:path';
import { createLog } from '../base/log.ts';
import type { ConsoleWish } from '../socket/hello.ts';
import { openConsole } from './browser.ts';
import { findPlace, type Place } from './home.ts';
import { remark, say } from './output.ts';
import { sameAgain, serveConsole, type Serving } from './serving.ts';
import { untilTold } from './signals.ts';

export interface StartOptions {
  home?: string;
  project: string[];
  mcpPort: number;
  consolePort: number;
  tools?: ConsoleWish['tools'];
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
  const { mcpPort, consolePort, tools = null } = options;
  let wish: ConsoleWish = { mcpPort, consolePort, tools, roots: options.project.map((root) => resolve(root)) };
  let hasAnnounced = false;
  for (;;) {
    const serving = await serveConsole(place, log, wish);
    try {
      if (serving.isBorrowed)
        remark('Another process owns the state folder and serves an MCP client; its console is open while this runs.');
      if (!hasAnnounced) await announce(readyOf(place, serving), options);
      hasAnnounced = true;
      const signal = await Promise.race([told, serving.gone]);
      if (signal !== undefined) return log.info({ signal }, 'stopping');
    } finally {
      await serving.close();
    }
    log.info('the process that served the console has ended; taking over');
    wish = sameAgain(serving, wish);
  }
}

const readyOf = ({ installation, locations }: Place, { facts }: Serving): Ready => ({
  version: installation.version,
  pid: process.pid,
  mcpUrl: facts.mcpUrl,
  consoleUrl: facts.consoleUrl,
  ownerLink: facts.ownerLink,
  home: locations.home,
  projects: facts.projects,
});

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
  if (open && process.stdin.isTTY && !(await openConsole(ready.home, ready.ownerLink)))
    remark('No browser could be opened here; open the link yourself.');
}
