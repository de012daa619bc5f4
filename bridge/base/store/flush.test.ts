// A commit whose flush comes later: seen at once, whole or not at all, and in the files once the wait is over.
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { migrations } from '../../migrations.ts';
import { testState } from '../../testing/state.ts';
import { commitThenFlush, flushStore } from './flush.ts';
import { openStore } from './store.ts';

describe('commitThenFlush', () => {
  it('is in the files as a crash leaves them', async () => {
    using state = testState();
    const flushed = commitThenFlush(state.store, () => state.store.exec("INSERT INTO settings VALUES ('a', '1')"));
    expect(state.store.prepare('SELECT count(*) AS n FROM settings').get()).toEqual({ n: 1 });
    await flushed;
    const copy = join(state.home, 'copy.sqlite');
    for (const end of ['', '-wal']) copyFileSync(`${state.store.name}${end}`, `${copy}${end}`);
    const after = openStore(copy, migrations);
    expect(after.prepare("SELECT value FROM settings WHERE key = 'a'").get()).toEqual({ value: '1' });
    after.close();
  });

  it('rolls back whole, and leaves the store as careful as it was', () => {
    using state = testState();
    const work = () => {
      state.store.exec("INSERT INTO settings VALUES ('a', '1')");
      throw new Error('no');
    };
    expect(() => commitThenFlush(state.store, work)).toThrow('no');
    expect(state.store.prepare('SELECT count(*) AS n FROM settings').get()).toEqual({ n: 0 });
    expect(state.store.pragma('synchronous', { simple: true })).toBe(2);
  });

  it('has nothing to wait for where there is no write-ahead log', async () => {
    using state = testState();
    state.store.pragma('journal_mode = DELETE');
    await flushStore(state.store);
  });
});
