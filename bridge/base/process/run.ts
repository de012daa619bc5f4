// Runs one program to its end without a shell: argv only, output streamed, ended by signal, deadline or its reader.
import { spawn, type ChildProcess } from 'node:child_process';
import { childEnvironment } from './environment.ts';

export interface Program {
  file: string;
  args: readonly string[];
  cwd: string;
  /** Set on top of the named list that every program is given. */
  env?: Readonly<Record<string, string>>;
  /** What it reads from standard input; left out, there is nothing to read. */
  input?: Buffer;
  signal?: AbortSignal;
  /** Time the program may take before it is killed. */
  deadlineMs?: number;
  /** Answering false ends the program: its reader has had enough. */
  onStdout?(chunk: Buffer): boolean | void;
  onStderr?(chunk: Buffer): void;
}

export interface Ended {
  /** `exited`: by itself; every other word says who ended it. */
  by: 'exited' | 'aborted' | 'deadline' | 'reader';
  exitCode: number | null;
  signal: NodeJS.Signals | null;
}

/** Rejects only when the program cannot be started (ENOENT, EACCES, E2BIG, …), with the system's error. */
export async function run(program: Program): Promise<Ended> {
  if (program.signal?.aborted === true) return { by: 'aborted', exitCode: null, signal: null };
  const child = spawn(program.file, program.args, {
    cwd: program.cwd,
    env: { ...childEnvironment(), ...program.env },
    stdio: [program.input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    windowsHide: true,
    shell: false,
  });
  give(child, program.input);
  return watched(child, program);
}

/** A program may end without having read all of it, which is its own affair. */
function give(child: ChildProcess, input: Buffer | undefined): void {
  if (child.stdin === null || input === undefined) return;
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE' && error.code !== 'ECONNRESET') child.emit('error', error);
  });
  child.stdin.end(input);
}

function watched(child: ChildProcess, program: Program): Promise<Ended> {
  return new Promise((resolve, reject) => {
    let by: Ended['by'] = 'exited';
    const end = (reason: Ended['by']) => {
      if (by !== 'exited') return;
      by = reason;
      child.kill('SIGKILL');
    };
    const onAbort = () => end('aborted');
    const timer = program.deadlineMs === undefined ? undefined : setTimeout(() => end('deadline'), Math.max(0, program.deadlineMs));
    program.signal?.addEventListener('abort', onAbort, { once: true });
    child.stdout?.on('data', (chunk: Buffer) => {
      if (by === 'exited' && program.onStdout?.(chunk) === false) end('reader');
    });
    child.stderr?.on('data', (chunk: Buffer) => program.onStderr?.(chunk));
    const settle = (finish: () => void) => {
      clearTimeout(timer);
      program.signal?.removeEventListener('abort', onAbort);
      finish();
    };
    child.once('error', (error) => settle(() => reject(error)));
    child.once('close', (exitCode, signal) => settle(() => resolve({ by, exitCode, signal })));
  });
}
