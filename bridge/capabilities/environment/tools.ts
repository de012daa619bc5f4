// The versions of the programming tools on this machine, as each says of itself; asked outside every project and kept for a minute.
import type { Clock } from '../../base/clock.ts';
import { findProgram } from '../../base/process/find.ts';
import { run } from '../../base/process/run.ts';

/** What each tool is started with to say its version. */
const versionArguments: Readonly<Record<string, readonly string[]>> = {
  git: ['--version'],
  node: ['--version'],
  npm: ['--version'],
  python3: ['--version'],
  uv: ['--version'],
  go: ['version'],
  rustc: ['--version'],
  cargo: ['--version'],
  java: ['--version'],
  ruby: ['--version'],
  php: ['--version'],
  dotnet: ['--version'],
  gcc: ['--version'],
  clang: ['--version'],
  make: ['--version'],
  cmake: ['--version'],
};

const PROBE_MS = 4000;
const KEPT_MS = 60_000;
const AT_ONCE = 4;
const OUTPUT_BYTES = 4096;
const VERSION_CHARACTERS_MAX = 120;

export interface ToolParts {
  clock: Clock;
  /** A folder that holds no project: some tools obey files of the one they are started in. */
  cwd: string;
  /** The roots of the projects: nothing of theirs is started. */
  roots: () => Promise<string[]>;
}

export type Versions = Record<string, string | null>;

/** Asks at most once a minute, however many ask at the same time. */
export function createTools({ clock, cwd, roots }: ToolParts): { versions(): Promise<Versions> } {
  let kept: { at: number; versions: Promise<Versions> } | null = null;

  async function probeAll(): Promise<Versions> {
    const outside = await roots();
    const names = Object.keys(versionArguments);
    const found: Versions = Object.fromEntries(names.map((name) => [name, null]));
    const probeRest = async (): Promise<void> => {
      for (let name = names.shift(); name !== undefined; name = names.shift()) found[name] = await probe(name, { outside, cwd });
    };
    await Promise.all(Array.from({ length: AT_ONCE }, probeRest));
    return found;
  }

  return {
    versions() {
      if (kept === null || clock.monotonic() - kept.at > KEPT_MS) kept = { at: clock.monotonic(), versions: probeAll() };
      return kept.versions;
    },
  };
}

/** The first line that the tool says, or null when there is none, it fails or takes too long. */
async function probe(name: string, { outside, cwd }: { outside: readonly string[]; cwd: string }): Promise<string | null> {
  const file = findProgram(name, { outside });
  if (file === null) return null;
  let text = '';
  const onStdout = (chunk: Buffer) => {
    text += chunk.toString('latin1');
    return text.length < OUTPUT_BYTES;
  };
  try {
    const ended = await run({ file, args: versionArguments[name] ?? [], cwd, deadlineMs: PROBE_MS, onStdout });
    const line = text.trim().split(/\r?\n/, 1)[0] ?? '';
    return (ended.exitCode === 0 || ended.by === 'reader') && line !== ''
      ? line.replace(/[^ -~]/g, '?').slice(0, VERSION_CHARACTERS_MAX)
      : null;
  } catch (error) {
    // It was there a moment ago; a tool that cannot be started is one that is not there.
    if (['ENOENT', 'EACCES', 'ENOEXEC', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}
