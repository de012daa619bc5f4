// The product as a person has it: the built program in a process of its own, a real repository, a real browser.
import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { chromium, type Browser } from 'playwright';
import { findChromium } from '../bridge/setup/chromium.mjs';
import { removeFolder, temporaryFolder } from '../bridge/testing/folder.ts';

export const repository = dirname(dirname(fileURLToPath(import.meta.url)));
export const entry = join(repository, 'dist/bridge/main.js');

/** The one JSON line of `start --json`. */
export interface StartLine {
  version: string;
  pid: number;
  mcpUrl: string;
  consoleUrl: string;
  ownerLink: string;
  home: string;
  projects: { projectId: string; root: string }[];
}

/** A folder that is gone when the test ends. */
export interface Place extends Disposable {
  path: string;
}

export function place(): Place {
  const path = temporaryFolder('e2e');
  return { path, [Symbol.dispose]: () => removeFolder(path) };
}

/** A real git repository with one commit of these files. */
export function repositoryAt(path: string, files: Record<string, string>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  const git = (...args: string[]) => execFileSync('git', ['-C', path, '-c', 'user.name=T', '-c', 'user.email=t@example.test', ...args]);
  git('init', '--quiet', '--initial-branch=main');
  git('add', '--all');
  git('commit', '--quiet', '--message=start');
  return path;
}

export interface Running extends AsyncDisposable {
  line: StartLine;
  child: ChildProcess;
  /** Everything the bridge wrote to its log. */
  log(): string;
  /** SIGTERM; resolves to the exit code. */
  stop(): Promise<number | null>;
  /** SIGKILL, and waits until it is gone. */
  kill(): Promise<void>;
}

/** Starts the built bridge and resolves once both listeners accept. */
export async function start(home: string, ...flags: string[]): Promise<Running> {
  // Most of these clients call operations by their own names; the compact surface has a test of its own.
  const surface = flags.includes('--tools') ? [] : ['--tools', 'full'];
  const args = [entry, 'start', '--json', '--no-open', '--home', home, '--mcp-port', '0', '--console-port', '0', ...surface, ...flags];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => (log += chunk.toString()));
  const gone = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  const line = await new Promise<StartLine>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (text) => resolve(JSON.parse(text) as StartLine));
    void gone.then((code) => reject(new Error(`The bridge ended with ${code} before it was ready: ${log}`)));
  });
  const end = (signal: NodeJS.Signals) => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal);
    return gone;
  };
  return {
    line,
    child,
    log: () => log,
    stop: () => end('SIGTERM'),
    kill: async () => void (await end('SIGKILL')),
    [Symbol.asyncDispose]: async () => void (await end('SIGTERM')),
  };
}

/** Runs a command of the built program to its end. */
export const drawbridge = (...args: string[]): string =>
  execFileSync(process.execPath, [entry, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });

/** A headless Chromium: the one that the set-up of the tests chose, or would choose. */
export async function openBrowser(): Promise<Browser> {
  const executablePath = await findChromium();
  if (executablePath === undefined) throw new Error('No Chromium starts here; "npm test" gets one.');
  const quiet = ['--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
  const asRoot = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ args: [...quiet, ...asRoot], executablePath });
}
