// A real store in a temporary folder for tests, with every migration applied.
import { join } from 'node:path';
import { systemClock, type Clock } from '../base/clock.ts';
import { openStore, type Store } from '../base/store/store.ts';
import { migrations } from '../migrations.ts';
import { removeFolder, temporaryFolder } from './folder.ts';

export interface TestState extends Disposable {
  home: string;
  store: Store;
  clock: Clock & { advance(byMs: number): void };
}

/** A fresh state whose clock can be moved forwards. */
export function testState(): TestState {
  const home = temporaryFolder('state');
  const store = openStore(join(home, 'state.sqlite'), migrations);
  let offsetMs = 0;
  const clock = { ...systemClock(() => Date.now() + offsetMs), advance: (byMs: number) => void (offsetMs += byMs) };
  return {
    home,
    store,
    clock,
    [Symbol.dispose]() {
      store.close();
      removeFolder(home);
    },
  };
}
