// Makes what was committed "soon" durable beside other work, instead of making the whole process wait for the disk.
import { closeSync, fsync, openSync } from 'node:fs';
import { promisify } from 'node:util';
import { atomically, type Store } from './store.ts';

const flushFile = promisify(fsync);

/** Resolves once every commit of this store so far survives a loss of power. */
export async function flushStore(store: Store): Promise<void> {
  if (store.pragma('journal_mode', { simple: true }) !== 'wal') return; // Without a log each commit has waited already.
  // SQLite holds no lock on this file, so that closing it again takes none away.
  const log = openSync(`${store.name}-wal`, 'r');
  try {
    await flushFile(log);
  } finally {
    closeSync(log);
  }
}

/** Commits now, and gives back the wait for the disk. */
export function commitThenFlush(store: Store, work: () => void): Promise<void> {
  atomically(store, 'soon', work);
  return flushStore(store);
}
