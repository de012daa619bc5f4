// The lock file as anyone may read it: who owns this state folder and where it listens. What it says is proven by its process.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startOf } from '../base/process/started.ts';

export interface LockRecord {
  pid: number;
  /** Tells the process from a later one of the same id. */
  startedAt: string | null;
  mcpUrl: string | null;
  consoleUrl: string | null;
  socketPath: string | null;
}

export const recordFile = (home: string): string => join(home, 'bridge.lock');

/** The record of the bridge that runs now, or null. A record whose process is gone is no record. */
export function liveRecord(home: string): LockRecord | null {
  const record = readRecord(home);
  const startedAt = record === null ? null : startOf(record.pid);
  return startedAt !== null && startedAt === record?.startedAt ? record : null;
}

/** What the file says, or null when there is none or it is not of our form (a crash can leave it empty). */
export function readRecord(home: string): LockRecord | null {
  try {
    const raw: unknown = JSON.parse(readFileSync(recordFile(home), 'utf8'));
    return isRecord(raw) ? raw : null;
  } catch (error) {
    if (error instanceof SyntaxError || ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
}

/** Readers see the old record or the new one, never half of one. */
export function writeRecord(home: string, record: LockRecord): void {
  const fresh = `${recordFile(home)}.${record.pid}`;
  writeFileSync(fresh, `${JSON.stringify(record)}\n`, { mode: 0o600 });
  renameSync(fresh, recordFile(home));
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string';

function isRecord(raw: unknown): raw is LockRecord {
  if (typeof raw !== 'object' || raw === null) return false;
  const { pid, startedAt, mcpUrl, consoleUrl, socketPath } = raw as Record<string, unknown>;
  return Number.isSafeInteger(pid) && (pid as number) > 0 && [startedAt, mcpUrl, consoleUrl, socketPath].every(isTextOrNull);
}
