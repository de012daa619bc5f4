// Debian's package manager, asked nothing: there may be nobody at the terminal. Only root may call it.
import { runQuietly } from './install.mjs';

export const APT = '/usr/bin/apt-get';

export function installWithApt(name) {
  process.env.DEBIAN_FRONTEND = 'noninteractive';
  runQuietly(APT, ['update', '-qq']);
  runQuietly(APT, ['install', '-y', '-qq', '--no-install-recommends', name]);
}
