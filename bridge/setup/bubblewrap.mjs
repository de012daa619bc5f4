// On Linux the tests of the sandbox need bubblewrap: the system's, else the package manager's when we are root.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { APT, installWithApt } from './apt.mjs';
import { SetupFailed, tell } from './install.mjs';

const starts = () => spawnSync('bwrap', ['--version'], { stdio: 'ignore' }).status === 0;

export function ensureBubblewrap() {
  if (process.platform !== 'linux' || starts()) return;
  if (process.getuid?.() === 0 && existsSync(APT)) {
    tell('No bubblewrap here yet; getting it for the tests.');
    installWithApt('bubblewrap');
  }
  if (!starts()) throw new SetupFailed('The tests need bubblewrap (for example "apt-get install bubblewrap").');
}
