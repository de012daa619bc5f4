// Starts one program at the head of its own process group, without a shell, and ends all of its family: first by asking, then by force.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { familyOf, MARK, signalMember, type Member } from './family.ts';

export interface GroupProgram {
  file: string;
  args: readonly string[];
  cwd: string;
  /** The whole environment of the child. */
  env: Readonly<Record<string, string>>;
  /** Names the family in the environment of each member. */
  mark: string;
  /** Without it standard input is empty and closed. */
  hasInput: boolean;
  onStdout(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
}

export interface Exit {
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

export interface Group {
  pid: number;
  stdin: Writable | null;
  /** The end of the program itself; what it started may go on and hold its output open. */
  exit: Promise<Exit>;
  /** Both outputs have ended: nobody can write to them any more. */
  drained: Promise<void>;
  /** Who of the family is alive. */
  members(): Member[];
  /** Ends the family. Resolves with who is left, which is nobody unless the system itself refuses. */
  end(graceMs: number): Promise<Member[]>;
}

const LOOK_MS = 50;
const FORCE_MS = 5_000;

/** Rejects only when the program cannot be started (ENOENT, EACCES, E2BIG, …), with the system's error. */
export async function startGroup(program: GroupProgram): Promise<Group> {
  const child = spawn(program.file, program.args, {
    cwd: program.cwd,
    env: { ...program.env, [MARK]: program.mark },
    stdio: [program.hasInput ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    detached: true,
    shell: false,
    windowsHide: true,
  });
  child.stdout?.on('data', (chunk: Buffer) => program.onStdout(chunk));
  child.stderr?.on('data', (chunk: Buffer) => program.onStderr(chunk));
  // A program that stops reading is its own matter; whoever writes learns of it from the write.
  child.stdin?.on('error', () => undefined);
  const exit = new Promise<Exit>((resolve) => child.once('exit', (exitCode, signal) => resolve({ exitCode, signal })));
  const drained = new Promise<void>((resolve) => child.once('close', () => resolve()));
  await once(child, 'spawn');
  const pid = child.pid ?? 0;
  const members = () => familyOf(pid, program.mark);
  return { pid, stdin: child.stdin, exit, drained, members, end: (graceMs) => endFamily({ child, members, exit }, graceMs) };
}

interface Family {
  child: ChildProcess;
  members: () => Member[];
  exit: Promise<Exit>;
}

async function endFamily(family: Family, graceMs: number): Promise<Member[]> {
  signalAll(family, 'SIGTERM');
  await untilGone(family, graceMs);
  const deadline = performance.now() + FORCE_MS;
  // Whoever was being born while the others were killed is met in the next round.
  while (isAlive(family) && performance.now() < deadline) {
    signalAll(family, 'SIGKILL');
    await wait(LOOK_MS);
  }
  return family.members();
}

async function untilGone(family: Family, graceMs: number): Promise<void> {
  const deadline = performance.now() + graceMs;
  while (isAlive(family) && performance.now() < deadline) await wait(LOOK_MS);
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;
const isAlive = ({ child, members }: Family): boolean => isRunning(child) || members().length > 0;

/** The group is signalled by its number only while its leader, which we have not waited for, keeps the number from being used again. */
function signalAll({ child, members }: Family, signal: NodeJS.Signals): void {
  for (const member of members()) if (member.pid !== child.pid) signalMember(member, signal);
  if (isRunning(child) && child.pid !== undefined) signalGroup(child.pid, signal);
}

function signalGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
