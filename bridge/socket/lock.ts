// One bridge per state folder. The system holds the lock and lets go when the process dies, so no stale one can block or be stolen.
import { closeSync, existsSync, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { startOf } from '../base/process/started.ts';
import { Fatal } from '../failed.ts';
import { liveRecord, readRecord, recordFile, writeRecord, type LockRecord } from './record.ts';

export interface Lock {
  /** What the bridge that was killed here had written, when it could not clean up. */
  readonly stale: LockRecord | null;
  /** Says where the bridge listens, for those who come while it runs. */
  publish(facts: Pick<LockRecord, 'mcpUrl' | 'consoleUrl' | 'socketPath'>): void;
  release(): void;
}

const OWNER_WAIT_MS = 3_000;
const OWNER_LOOK_MS = 50;

/** Takes the folder for this process. Fatal(3) names the process that has it. */
export async function takeLock(home: string): Promise<Lock> {
  const mutex = takeMutex(join(home, 'bridge.mutex'));
  if (mutex === null) throw await ownedByAnother(home);
  const stale = readRecord(home);
  const own = { pid: process.pid, startedAt: startOf(process.pid) };
  writeRecord(home, { ...own, mcpUrl: null, consoleUrl: null, socketPath: null });
  return {
    stale,
    publish: (facts) => writeRecord(home, { ...own, ...facts }),
    release() {
      rmSync(recordFile(home), { force: true });
      mutex.close();
    },
  };
}

// SQLite's file lock is the one lock Node can take that the system itself gives back after kill -9.
function takeMutex(file: string): Database.Database | null {
  // Only a missing file is opened here: closing another descriptor of it would drop a lock this process already holds.
  if (!existsSync(file)) closeSync(openSync(file, 'a', 0o600));
  const mutex = new Database(file, { timeout: 0 });
  try {
    mutex.exec('BEGIN EXCLUSIVE');
    return mutex;
  } catch (error) {
    mutex.close();
    if ((error as { code?: string }).code?.startsWith('SQLITE_BUSY')) return null;
    throw error;
  }
}

// A bridge that has just begun holds the lock before it has written where it listens.
async function ownedByAnother(home: string): Promise<Fatal> {
  const deadline = performance.now() + OWNER_WAIT_MS;
  let record = liveRecord(home);
  while ((record === null || record.socketPath === null) && performance.now() < deadline) {
    await wait(OWNER_LOOK_MS);
    record = liveRecord(home);
  }
  const who = record === null ? 'another process' : `process ${record.pid}`;
  const url = record?.consoleUrl ?? null;
  const where = url === null ? 'it serves an MCP client over stdio and has no console' : `its console is ${url}`;
  return new Fatal(3, `Another Drawbridge owns the state folder ${home}: ${who}; ${where}. Nothing was started.`);
}
