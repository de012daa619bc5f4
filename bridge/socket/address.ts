// Where the private socket lies: in the state folder, or in a private folder of the system's when that path is too long for one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

// sun_path holds 104 bytes on macOS and 108 on Linux, its ending zero included.
const PATH_BYTES_MAX = 103;
const SHORT_PREFIX = 'drawbridge-';

export function chooseSocketPath(home: string): string {
  const path = join(home, 'bridge.sock');
  // mkdtemp makes the folder 0700 under a name nobody could have taken before.
  return Buffer.byteLength(path) <= PATH_BYTES_MAX ? path : join(mkdtempSync(join(tmpdir(), SHORT_PREFIX)), 'bridge.sock');
}

/** Removes the socket, and its folder when that was made for it alone. */
export function removeSocket(home: string, path: string): void {
  rmSync(path, { force: true });
  const folder = dirname(path);
  if (folder !== home && basename(folder).startsWith(SHORT_PREFIX) && dirname(folder) === tmpdir())
    rmSync(folder, { recursive: true, force: true });
}
