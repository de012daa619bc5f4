// Which processes belong to a program that was started here: told by its group, its session and a mark in their environment, each with its start.
import { readdirSync, readFileSync } from 'node:fs';
import { startOf } from './started.ts';

export interface Member {
  pid: number;
  /** With the id it names one process, even after the id is used again. */
  startedAt: string;
  /** As the system shortens it: at most 15 characters. */
  name: string;
}

/** The name of the variable whose value marks a family. */
export const MARK = 'DRAWBRIDGE_JOB';

interface Seen extends Member {
  group: number;
  session: number;
}

/** Those alive now; without a leader, whose number may be another's by now, they are told by the mark alone. A process that left the group and emptied its environment is not found; nothing of ours can hold it. */
export function familyOf(leader: number | null, mark: string): Member[] {
  if (process.platform !== 'linux') return [];
  const marked = Buffer.from(`${MARK}=${mark}\0`);
  return processIds().flatMap((pid) => {
    const seen = look(pid);
    const isOurs = seen !== null && pid !== process.pid && (seen.group === leader || seen.session === leader || hasMark(pid, marked));
    return isOurs ? [{ pid, startedAt: seen.startedAt, name: seen.name }] : [];
  });
}

const processIds = (): number[] => readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));

// A zombie has ended and only waits to be counted.
function look(pid: number): Seen | null {
  const stat = readGone(`/proc/${pid}/stat`)?.toString('latin1');
  if (stat === undefined) return null;
  const [from, to] = [stat.indexOf('('), stat.lastIndexOf(')')];
  const [state, , group, session, ...rest] = stat.slice(to + 2).split(' ');
  if (state === 'Z' || state === 'X') return null;
  return { pid, name: stat.slice(from + 1, to), group: Number(group), session: Number(session), startedAt: rest[15] ?? '' };
}

function hasMark(pid: number, marked: Buffer): boolean {
  const environment = readGone(`/proc/${pid}/environ`);
  const at = environment?.indexOf(marked) ?? -1;
  return at === 0 || (at > 0 && environment?.[at - 1] === 0);
}

/** undefined: it ended meanwhile, or is another user's. */
function readGone(file: string): Buffer | undefined {
  try {
    return readFileSync(file);
  } catch (error) {
    if (['ENOENT', 'ESRCH', 'EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}

/** Whether there was such a process to signal: never one that only has the same id. */
export function signalMember({ pid, startedAt }: Member, signal: NodeJS.Signals): boolean {
  if (startOf(pid) !== startedAt) return false;
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}
