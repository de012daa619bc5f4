// Runs the packaged ripgrep over exactly the files it is given. It only points at lines; what an answer shows is read by us.
import { run, type Ended } from '../../base/process/run.ts';
import { Failed } from '../../failed.ts';
import { createHitReader, type HitReader, type HitRequest } from './hits.ts';

export interface Pattern {
  query: string;
  mode: 'literal' | 'regex';
  caseSensitive: boolean;
}

export interface GrepRequest extends HitRequest {
  root: string;
  /** Files, and folders of which every file is meant. */
  targets: readonly string[];
  pattern: Pattern;
  /** Lines longer than this are pointed at and not printed. */
  lineBytes: number;
  remainingMs(): number;
  signal: AbortSignal;
}

export interface GrepResult {
  hits: HitReader;
  unreadable: number;
  /** `output` and `deadline` mean that not everything was looked at. */
  stoppedBy: 'output' | 'deadline' | null;
}

const OUTPUT_BYTES = 32 * 1024 * 1024;
/** What the system takes as arguments of one program, with room for the environment. */
const ARGUMENT_BYTES = process.platform === 'win32' ? 24_000 : process.platform === 'darwin' ? 700_000 : 1_500_000;
export const ENGINE = 'ripgrep';

/** Every option that could be read from a file or the environment is named here, so nothing outside decides. */
const fixed = ['--no-config', '--no-ignore', '--hidden', '--color=never', '--no-heading', '--with-filename', '--null', '--line-number'];
const common = [
  ...fixed,
  '--column',
  '--no-follow',
  '--binary',
  '--crlf',
  '--regex-size-limit=10M',
  '--dfa-size-limit=64M',
  '--engine=default',
];

/** Throws INVALID_INPUT for a pattern that is not understood, NOT_SUPPORTED when ripgrep is not there. */
export async function grep(request: GrepRequest): Promise<GrepResult> {
  const hits = createHitReader(request);
  const result: GrepResult = { hits, unreadable: 0, stoppedBy: null };
  const file = await findRipgrep();
  const { pattern, lineBytes } = request;
  const args = [
    ...common,
    `--max-columns=${lineBytes}`,
    ...(pattern.mode === 'literal' ? ['--fixed-strings'] : []),
    ...(pattern.caseSensitive ? ['--case-sensitive'] : ['--ignore-case']),
    `--regexp=${pattern.query}`,
    '--',
  ];
  let outputBytes = 0;
  const onStdout = (chunk: Buffer) => {
    hits.push(chunk);
    outputBytes += chunk.length;
    return outputBytes <= OUTPUT_BYTES;
  };
  for await (const { ended, complaints } of runAll(request, { file, args, onStdout })) {
    refuseBadPattern(complaints, pattern);
    result.unreadable += complaints.split('\n').filter((line) => /\(os error (?!2\))\d+\)$/.test(line)).length;
    if (ended.by !== 'exited') result.stoppedBy = ended.by === 'reader' ? 'output' : 'deadline';
  }
  return result;
}

/** The files among the targets that hold a NUL byte: what is not text, told by the whole content and not by a sample. */
export async function grepBinary(request: Pick<GrepRequest, 'root' | 'targets' | 'remainingMs' | 'signal'>): Promise<Set<string> | null> {
  const args = [
    '--no-config',
    '--no-ignore',
    '--hidden',
    '--text',
    '--encoding=none',
    '--files-with-matches',
    '--null',
    '--regexp=\\x00',
    '--',
  ];
  const found = new Set<string>();
  const chunks: Buffer[] = [];
  let isComplete = true;
  const program = { file: await findRipgrep(), args, onStdout: (chunk: Buffer) => void chunks.push(chunk) };
  for await (const { ended } of runAll(request, program)) isComplete &&= ended.by === 'exited';
  for (const path of Buffer.concat(chunks).toString('utf8').split('\0')) if (path !== '') found.add(path.replace(/^\.\//, ''));
  return isComplete ? found : null;
}

interface Ran {
  ended: Ended;
  complaints: string;
}

/** One run a batch, up to the first that is stopped. A batch that the system finds too long is halved. */
async function* runAll(
  request: Pick<GrepRequest, 'root' | 'targets' | 'remainingMs' | 'signal'>,
  program: { file: string; args: readonly string[]; onStdout(chunk: Buffer): boolean | void },
): AsyncGenerator<Ran> {
  const waiting = batchesOf(request.targets);
  for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
    const ran = await runBatch(request, program, batch);
    if (ran === 'too long') waiting.unshift(batch.slice(0, batch.length / 2), batch.slice(batch.length / 2));
    else yield ran;
    if (ran !== 'too long' && ran.ended.by !== 'exited') return;
  }
}

async function runBatch(
  request: Pick<GrepRequest, 'root' | 'remainingMs' | 'signal'>,
  program: { file: string; args: readonly string[]; onStdout(chunk: Buffer): boolean | void },
  batch: readonly string[],
): Promise<Ran | 'too long'> {
  const complaints: string[] = [];
  try {
    const ended = await run({
      ...program,
      args: [...program.args, ...batch],
      cwd: request.root,
      signal: request.signal,
      deadlineMs: request.remainingMs(),
      onStderr: (chunk) => void (complaints.length < COMPLAINTS_MAX && complaints.push(chunk.toString('utf8'))),
    });
    if (ended.by === 'aborted') throw new Failed('TIMEOUT', 'The search was cancelled.');
    return { ended, complaints: complaints.join('') };
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code;
    if (code === 'E2BIG' && batch.length > 1) return 'too long';
    if (code === 'ENOENT' || code === 'EACCES') throw notThere(cause);
    throw cause;
  }
}
const COMPLAINTS_MAX = 1024;

/** A pattern is refused before any file is opened, so its complaint comes first and ends in no system error. */
function refuseBadPattern(complaints: string, { mode, query }: Pattern): void {
  const first = /^rg: (.*)$/m.exec(complaints)?.[1];
  if (first === undefined || /\(os error \d+\)$/.test(first)) return;
  const reason = /^error: (.+)$/m.exec(complaints)?.[1] ?? first;
  throw new Failed('INVALID_INPUT', `The pattern was not understood: ${reason.trim().slice(0, 200)}. Nothing was searched.`, {
    recovery: mode === 'regex' ? 'To search for this text as it stands, repeat the call with mode "literal".' : 'Search for another text.',
    ...(mode === 'regex' ? { detail: { suggestion: { mode: 'literal', query } } } : {}),
  });
}

/** In order, each within what one program can be given. A name "-" would mean standard input, so it gets a folder. */
function batchesOf(targets: readonly string[]): string[][] {
  const batches: string[][] = [];
  let room = 0;
  for (const path of targets) {
    const bytes = Buffer.byteLength(path) + POINTER_BYTES;
    if (batches.length === 0 || bytes > room) {
      batches.push([]);
      room = ARGUMENT_BYTES;
    }
    room -= bytes;
    batches.at(-1)?.push(path === '-' ? './-' : path);
  }
  return batches;
}
const POINTER_BYTES = 9;

let found: Promise<string> | undefined;

/** The program comes as an optional package of this platform, which may not be installed. */
function findRipgrep(): Promise<string> {
  found ??= import('@vscode/ripgrep').then(
    (module) => module.rgPath,
    (cause: unknown) => {
      found = undefined;
      throw notThere(cause);
    },
  );
  return found;
}

function notThere(cause: unknown): Failed {
  return new Failed('NOT_SUPPORTED', 'Searching needs the packaged ripgrep, which cannot be started here. Nothing was searched.', {
    recovery: 'Install the optional package @vscode/ripgrep for this platform.',
    cause,
  });
}
