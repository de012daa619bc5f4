// The idempotency keys of commits that may stand although their answer was never given. One file each, for as long as a key is kept.
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

const KEPT_MS = 25 * 60 * 60 * 1000;

export interface Begun {
  /** Durably notes it, before anything is done that lasts. */
  note(reservation: string): void;
  has(reservation: string): boolean;
}

export function createBegun(folder: string): Begun {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(folder))
    if (Date.now() - statSync(join(folder, name)).mtimeMs > KEPT_MS) rmSync(join(folder, name), { force: true });
  return {
    note(reservation) {
      closeSync(openSync(join(folder, reservation), 'w', 0o600));
      const fd = openSync(folder, 'r');
      fsyncSync(fd);
      closeSync(fd);
    },
    has: (reservation) => existsSync(join(folder, reservation)),
  };
}
