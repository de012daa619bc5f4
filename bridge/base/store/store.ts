// The one SQLite file: WAL, synchronous=FULL, numbered forward migrations, never overwritten when it looks wrong.
import Database from 'better-sqlite3';
import { chmodSync, closeSync, existsSync, openSync, statSync } from 'node:fs';
import { Fatal } from '../../failed.ts';

export type Store = Database.Database;

export interface Migration {
  /** One-based and gapless. */
  version: number;
  sql: string;
}

const CHECKED_MAX_BYTES = 32 * 1024 * 1024;
const APPLICATION_ID = 0x44724267; // "DrBg": tells our file from any other SQLite file.

/** Opens or creates the store and brings it to the newest migration. Throws Fatal with the way out. */
export function openStore(file: string, migrations: readonly Migration[]): Store {
  const isNew = !existsSync(file);
  if (isNew) closeSync(openSync(file, 'wx', 0o600));
  let store: Store | undefined;
  try {
    store = new Database(file);
    // Nothing is written before the file has proven to be ours, whole and not from the future.
    if (isNew) store.pragma(`application_id = ${APPLICATION_ID}`);
    refuseForeign(store, file);
    refuseCorrupt(store, file);
    refuseNewer(store, migrations);
    store.pragma('journal_mode = WAL');
    store.pragma('synchronous = FULL');
    store.pragma('foreign_keys = ON');
    store.pragma('busy_timeout = 5000');
    migrate(store, migrations);
    chmodSync(file, 0o600);
    return store;
  } catch (cause) {
    store?.close();
    if (cause instanceof Fatal) throw cause;
    throw new Fatal(
      1,
      `The state file ${file} cannot be read (${(cause as Error).message}). Move it aside and start again; nothing was changed.`,
    );
  }
}

/**
 * Runs the work in one transaction. `flushed` waits for the disk; `soon` survives a killed process at once and a power cut
 * from the next flushed transaction on, which is enough for the account of a call that changed nothing.
 */
export function atomically(store: Store, durability: 'flushed' | 'soon', work: () => void): void {
  if (durability === 'flushed' || store.inTransaction) return store.transaction(work)();
  store.pragma('synchronous = NORMAL');
  try {
    store.transaction(work)();
  } finally {
    store.pragma('synchronous = FULL');
  }
}

function refuseForeign(store: Store, file: string): void {
  if (store.pragma('application_id', { simple: true }) !== APPLICATION_ID)
    throw new Fatal(1, `${file} is a database of another program. Choose another state folder with --home; nothing was changed.`);
}

function refuseCorrupt(store: Store, file: string): void {
  // Reading every page of a large file would make each start wait for seconds; there a damaged page fails when it is read.
  if (statSync(file).size > CHECKED_MAX_BYTES) return;
  const verdict = store.pragma('quick_check(1)', { simple: true });
  if (verdict !== 'ok')
    throw new Fatal(1, `The state file ${file} is damaged (${String(verdict)}). Move it aside or restore a copy; nothing was changed.`);
}

function refuseNewer(store: Store, migrations: readonly Migration[]): void {
  const current = store.pragma('user_version', { simple: true }) as number;
  if (current > migrations.length)
    throw new Fatal(
      1,
      `The state was written by a newer Drawbridge (version ${current}, this one knows ${migrations.length}). Update Drawbridge; nothing was changed.`,
    );
}

function migrate(store: Store, migrations: readonly Migration[]): void {
  const current = store.pragma('user_version', { simple: true }) as number;
  for (const migration of migrations.slice(current)) {
    store.transaction(() => {
      store.exec(migration.sql);
      store.pragma(`user_version = ${migration.version}`);
    })();
  }
}
