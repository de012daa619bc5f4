// A program behind walls of the system: it reads the machine, writes in the folders that were named and nowhere else, and reaches no network.
import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Walls {
  /** Full paths of folders that it may write in, whatever holds them. */
  writable: readonly string[];
  /** Full paths inside those that it may only read. What is not there cannot be made either. */
  readonly: readonly string[];
  /** Full paths of folders that are empty to it. */
  hidden: readonly string[];
  hasNetwork: boolean;
  /** Whose toolchains are found; left out: this account's. */
  home?: string;
}

export interface Walled {
  file: string;
  args: string[];
}

/** What of a home a toolchain is found by. Of all else in it nothing is seen. */
const HOME_READABLE = [
  ...['.local/bin', '.local/lib', '.local/share/pnpm', '.local/share/uv', '.nvm', '.volta', '.fnm', '.asdf', '.pyenv', '.rbenv', '.sdkman'],
  ...['.cargo/bin', '.rustup', '.bun/bin', '.deno/bin', 'go/bin', '.dotnet', '.ghcup/bin'],
];
/** What package managers and compilers keep to be faster the next time. Nothing in it is the user's own work. */
const HOME_CACHES = [
  ...['.cache', '.npm/_cacache', '.cargo/registry', '.cargo/git', 'go/pkg/mod', '.gradle/caches', '.m2/repository'],
  ...['.nuget/packages', '.bun/install/cache', '.yarn/cache', '.pnpm-store', '.local/share/pnpm/store'],
];
/** Sockets of other programs lie here, and files of theirs. */
const ALWAYS_HIDDEN = ['/tmp', '/var/tmp', '/run'];

/**
 * The command line of bubblewrap that runs `program` there. The order of its arguments is the order of the mounts, so that what is
 * named later lies over what was named before.
 */
export function walled(bwrap: string, program: { file: string; args: readonly string[]; cwd: string }, walls: Walls): Walled {
  const { home = homedir() } = walls;
  const inHome = (names: readonly string[]) => names.map((name) => join(home, name)).filter((path) => existsSync(path));
  const args = [
    ...['--die-with-parent', '--new-session', '--unshare-pid', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ...['--cap-drop', 'ALL', ...(walls.hasNetwork ? [] : ['--unshare-net'])],
    ...['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc'],
    ...[...ALWAYS_HIDDEN, home, ...walls.hidden].flatMap((path) => ['--tmpfs', path]),
    ...(walls.hasNetwork ? existing('/run/systemd/resolve').flatMap((path) => ['--ro-bind', path, path]) : []),
    ...inHome(HOME_READABLE).flatMap((path) => ['--ro-bind', path, path]),
    ...inHome(HOME_CACHES).flatMap((path) => ['--bind', path, path]),
    ...walls.writable.map((path) => realpathSync(path)).flatMap((path) => ['--bind', path, path]),
    ...walls.readonly.filter((path) => existsSync(path)).flatMap((path) => ['--ro-bind', path, path]),
    ...['--chdir', program.cwd, '--', program.file, ...program.args],
  ];
  return { file: bwrap, args };
}

const existing = (path: string): string[] => (existsSync(path) ? [path] : []);
