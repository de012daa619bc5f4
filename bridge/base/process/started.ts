// When a process began, as the system tells it: with its id it names one process, even after the id is used again.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** An opaque text that is the same for the same process, or null when there is none of that id. */
export function startOf(pid: number): string | null {
  return process.platform === 'linux' ? startFromProc(pid) : startFromPs(pid);
}

// Field 22 of stat, counted after the command name, which is in brackets and may hold anything.
function startFromProc(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null;
  } catch (error) {
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

function startFromPs(pid: number): string | null {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || null;
  } catch (error) {
    // ps answers 1 for an id that no process has.
    if ((error as { status?: number }).status === 1) return null;
    throw error;
  }
}
