// One job while it runs: its family, its output and how it came to its end, which is told once.
import { setTimeout as wait } from 'node:timers/promises';
import type { JobStatus } from '#shared/contracts/jobs.ts';
import type { Member } from '../../base/process/family.ts';
import { startGroup, type Exit, type Group } from '../../base/process/group.ts';
import type { Ready } from './program.ts';
import type { Spool } from './spool.ts';

export type End = Exit & { status: Exclude<JobStatus, 'running'> };

export interface Live {
  group: Group;
  /** The end of the program, with its output as far as nobody else holds it open. */
  ended: Promise<End>;
  /** Ends all of the family; the first reason given is the one that is told. */
  end(as: Exclude<JobStatus, 'running' | 'exited'>): Promise<void>;
  survivors(): Member[];
}

export interface LiveParts {
  jobId: string;
  ready: Ready;
  hasInput: boolean;
  timeoutMs: number;
  spools: Record<'stdout' | 'stderr', Spool>;
}

const GRACE_MS = 5_000;
/** How long output that is on its way is waited for when the program has ended but somebody still holds the pipe. */
const LAST_OUTPUT_MS = 200;

/** Rejects with the system's error when the program cannot be started. */
export async function startLive({ jobId, ready, hasInput, timeoutMs, spools }: LiveParts): Promise<Live> {
  const group = await startGroup({
    ...ready,
    mark: jobId,
    hasInput,
    onStdout: (chunk) => spools.stdout.append(chunk),
    onStderr: (chunk) => spools.stderr.append(chunk),
  });
  let endedAs: End['status'] = 'exited';
  const end = async (as: End['status']): Promise<void> => {
    if (endedAs === 'exited') endedAs = as;
    await group.end(GRACE_MS);
  };
  const timer = setTimeout(() => void end('timed_out'), timeoutMs);
  const ended = group.exit.then(async (exit): Promise<End> => {
    clearTimeout(timer);
    const status = endedAs;
    await Promise.race([group.drained, wait(LAST_OUTPUT_MS)]);
    return { ...exit, status };
  });
  return { group, ended, end, survivors: group.members };
}
