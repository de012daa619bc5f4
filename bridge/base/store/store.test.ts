// The state file: forward migrations, full flushes, and a file that looks wrong is reported and left as it is.
import Database from 'better-sqlite3';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fatal } from '../../failed.ts';
import { atomically, openStore } from './store.ts';

const one = { version: 1, sql: 'CREATE TABLE a (x INTEGER) STRICT' };
const two = { version: 2, sql: 'CREATE TABLE b (y INTEGER) STRICT' };
const broken = { version: 2, sql: 'CREATE TABLE b (y INTEGER) STRICT; CREATE TABLE a (x INTEGER)' };

let folder: string;
beforeEach(() => void (folder = mkdtempSync(join(tmpdir(), 'drawbridge-store-'))));
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'state.sqlite');
const digest = () => createHash('sha256').update(readFileSync(file())).digest('hex');

function fatal(work: () => unknown): string {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Fatal) return thrown.message;
    throw thrown;
  }
  throw new Error('It was opened.');
}

describe('the store', () => {
  it('S05 is for this account only, in WAL mode with a full flush a commit', () => {
    const store = openStore(file(), [one]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(store.pragma('journal_mode', { simple: true })).toBe('wal');
    expect(store.pragma('synchronous', { simple: true })).toBe(2);
    store.close();
  });

  it('takes a transaction that may be flushed later and goes back to full flushes, also after a failure', () => {
    const store = openStore(file(), [one]);
    const level = () => store.pragma('synchronous', { simple: true });
    let during: unknown;
    atomically(store, 'soon', () => {
      during = level();
      store.exec('INSERT INTO a VALUES (1)');
    });
    expect([during, level()]).toEqual([1, 2]);
    const failing = () =>
      atomically(store, 'soon', () => {
        store.exec('INSERT INTO a VALUES (2)');
        throw new Error('no');
      });
    expect(failing).toThrow('no');
    expect([level(), store.prepare('SELECT x FROM a').pluck().all()]).toEqual([2, [1]]);
    store.close();
  });

  it('runs only the migrations it has not had', () => {
    openStore(file(), [one]).close();
    const store = openStore(file(), [one, two]);
    expect(store.pragma('user_version', { simple: true })).toBe(2);
    expect(store.prepare("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name").pluck().all()).toEqual(['a', 'b']);
    store.close();
  });

  it('undoes a migration that fails half-way and says so', () => {
    openStore(file(), [one]).close();
    expect(fatal(() => openStore(file(), [one, broken]))).toContain('nothing was changed');
    const store = openStore(file(), [one]);
    expect(store.pragma('user_version', { simple: true })).toBe(1);
    expect(store.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'b'").pluck().get()).toBe(0);
    store.close();
  });

  it('leaves a state from a newer version alone', () => {
    openStore(file(), [one, two]).close();
    expect(fatal(() => openStore(file(), [one]))).toContain('newer Drawbridge');
  });

  it.each([
    ['text', () => writeFileSync(file(), 'not a database, but long enough to be looked at as one'.repeat(20))],
    [
      "another program's database",
      () => {
        const other = new Database(file());
        other.exec('CREATE TABLE theirs (x)');
        other.close();
      },
    ],
    [
      'a damaged file',
      () => {
        const store = openStore(file(), [one]);
        store.exec(`INSERT INTO a SELECT value FROM json_each('[${Array.from({ length: 5000 }, (_, n) => n).join(',')}]')`);
        store.pragma('wal_checkpoint(TRUNCATE)');
        store.close();
        const bytes = readFileSync(file());
        bytes.fill(0xa5, 4096, 12_288);
        writeFileSync(file(), bytes);
      },
    ],
  ])('reports %s with the way out and does not touch it', (_what, spoil) => {
    spoil();
    const before = digest();
    expect(fatal(() => openStore(file(), [one]))).toMatch(/nothing was changed/i);
    expect(digest()).toBe(before);
  });
});
