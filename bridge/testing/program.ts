// The built program in processes of its own, with a state folder and a home folder that are gone when the test lets go.
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder, temporaryFolder } from './folder.ts';

export const program = join(dirname(fileURLToPath(import.meta.url)), '..', '..', 'dist', 'bridge', 'main.js');

/** The one JSON line of `start --json`. */
export interface Ready {
  version: string;
  pid: number;
  mcpUrl: string;
  consoleUrl: string;
  ownerLink: string;
  home: string;
  projects: { projectId: string; root: string }[];
}

export interface Started {
  child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** Resolves with the exit code, or the signal that ended it. */
  ended: Promise<number | NodeJS.Signals | null>;
}

export interface Place extends AsyncDisposable {
  home: string;
  userHome: string;
  project: string;
  /** Starts a command and leaves it running. */
  launch(args: readonly string[], env?: NodeJS.ProcessEnv): Started;
  /** Runs a command to its end. */
  run(...args: string[]): Promise<{ code: number | NodeJS.Signals | null; stdout: string; stderr: string }>;
  /** `start --json` on free ports, once both listeners accept. */
  start(...args: string[]): Promise<Started & { ready: Ready }>;
}

export function place(): Place {
  if (!existsSync(program)) throw new Error('The bridge is built before the tests: run "npm run build".');
  const base = temporaryFolder('program');
  const [home, userHome, project] = ['state', 'user', 'project'].map((name) => join(base, name)) as [string, string, string];
  mkdirSync(userHome);
  mkdirSync(project);
  const started: Started[] = [];

  const launch: Place['launch'] = (args, env = {}) => {
    const common = { PATH: process.env['PATH'], HOME: userHome, DRAWBRIDGE_HOME: home };
    const one = watch(spawn(process.execPath, [program, ...args], { cwd: project, env: { ...common, ...env } }));
    started.push(one);
    return one;
  };
  return {
    ...{ home, userHome, project, launch },
    async run(...args) {
      const one = launch(args);
      one.child.stdin.end();
      return { code: await one.ended, stdout: one.stdout(), stderr: one.stderr() };
    },
    async start(...args) {
      const one = launch(['start', '--json', '--mcp-port', '0', '--console-port', '0', ...args]);
      const line = await firstLine(one);
      return { ...one, ready: JSON.parse(line) as Ready };
    },
    async [Symbol.asyncDispose]() {
      for (const { child, ended } of started) {
        child.kill('SIGKILL');
        await ended;
      }
      removeFolder(base);
    },
  };
}

function watch(child: ChildProcessWithoutNullStreams): Started {
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) child[name].on('data', (chunk: Buffer) => (texts[name] += chunk.toString()));
  child.stdin.on('error', () => undefined);
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)));
  return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, ended };
}

/** The first line on stdout. Rejects when the program ends without one. */
export function firstLine(one: Started): Promise<string> {
  return new Promise((resolve, reject) => {
    const look = () => {
      const at = one.stdout().indexOf('\n');
      if (at !== -1) resolve(one.stdout().slice(0, at));
    };
    one.child.stdout.on('data', look);
    look();
    void one.ended.then((code) => reject(new Error(`ended with ${code}: ${one.stderr()}`)));
  });
}

/** The TCP ports a process listens on, as the system counts them. Linux only. */
export function listeningPorts(pid: number): number[] {
  const own = new Set(readdirSync(`/proc/${pid}/fd`).map((fd) => linkOf(`/proc/${pid}/fd/${fd}`)));
  return ['tcp', 'tcp6'].flatMap((table) =>
    readFileSync(`/proc/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === '0A' && own.has(`socket:[${fields[9]}]`))
      .map((fields) => Number.parseInt(fields[1]?.split(':')[1] ?? '', 16)),
  );
}

/** A descriptor can be closed between being listed and being read. */
function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/** The names in a folder that may not be there yet. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** A port that something else listens on until the test lets go. */
export async function takenPort(): Promise<{ port: string } & Disposable> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return { port: String((server.address() as AddressInfo).port), [Symbol.dispose]: () => void server.close() };
}
