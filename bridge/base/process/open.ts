// Hands an address to the desktop's own browser. It is never waited for: a browser may live as long as its window.
import { spawn } from 'node:child_process';
import { childEnvironment } from './environment.ts';

const openers: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
const desktop = [
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'XDG_RUNTIME_DIR',
  'XDG_CURRENT_DESKTOP',
  'DBUS_SESSION_BUS_ADDRESS',
  'XAUTHORITY',
  'BROWSER',
];

/** Whether a program that opens it could be started. */
export function openInBrowser(url: string): Promise<boolean> {
  const [file, ...args] = openers[process.platform] ?? ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(file, [...args, url], { stdio: 'ignore', detached: true, env: childEnvironment(desktop) });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}
