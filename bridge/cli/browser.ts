// Opens the console's one-time link so that no other account can use it, although all of them can read a program's arguments.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openInBrowser } from '../base/process/open.ts';

/** Long enough for a browser that has to start first. */
const KEPT_MS = 60_000;

/**
 * Linux tells which account a connection comes from, so the bridge takes the link from its own alone. Elsewhere the browser gets
 * a file that only this account can read. Not on Linux: packaged browsers there cannot read the state folder.
 */
export function openConsole(home: string, link: string): Promise<boolean> {
  if (process.platform === 'linux') return openInBrowser(link);
  const file = writeRedirect(home, link);
  setTimeout(() => rmSync(file, { force: true }), KEPT_MS).unref();
  return openInBrowser(pathToFileURL(file).href);
}

/** A page that goes on to the link; the next one replaces it. */
export function writeRedirect(home: string, link: string): string {
  const file = join(home, 'open.html');
  rmSync(file, { force: true });
  const address = link.replaceAll('&', '&amp;').replaceAll('"', '&quot;');
  writeFileSync(file, `<!doctype html><meta charset="utf-8"><meta http-equiv="refresh" content="0;url=${address}">\n`, {
    mode: 0o600,
    flag: 'wx',
  });
  return file;
}
