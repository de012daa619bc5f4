// What the service worker answers with: pages from the network first, built files from the cache, everything else untouched.

export type Source = 'network-first' | 'cache-first' | 'untouched';

export interface Asked {
  method: string;
  url: string;
  isNavigation: boolean;
}

/** The built page's own files, as the build lists them. */
export interface Shell {
  version: string;
  files: readonly string[];
}

/**
 * A page is asked of the bridge first, so that an upgrade shows; only when none answers comes the kept one.
 * A file that is not part of this build is never answered here: the bridge says 404, and never a page in its place.
 */
export function sourceOf(asked: Asked, origin: string, shell: Shell): Source {
  const url = new URL(asked.url);
  if (asked.method !== 'GET' || url.origin !== origin) return 'untouched';
  if (asked.isNavigation) return url.pathname === '/' ? 'network-first' : 'untouched';
  return shell.files.includes(url.pathname) && url.pathname !== '/' ? 'cache-first' : 'untouched';
}

export const cacheName = (shell: Shell): string => `shell-${shell.version}`;

/** Caches of other builds. Only ours are looked at. */
export const outdated = (names: readonly string[], shell: Shell): string[] =>
  names.filter((name) => name.startsWith('shell-') && name !== cacheName(shell));
