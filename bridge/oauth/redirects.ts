// Where an answer may be sent: https, a loopback http address whose port floats, or an application's own scheme.

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]']);

export type RedirectKind = 'loopback' | 'https' | 'application' | 'refused';

export function kindOf(uri: unknown): RedirectKind {
  const url = typeof uri === 'string' ? URL.parse(uri) : null;
  if (url === null || url.username !== '' || url.password !== '') return 'refused';
  if (url.protocol === 'http:') return LOOPBACK.has(url.hostname) ? 'loopback' : 'refused';
  return url.protocol === 'https:' ? 'https' : 'application';
}

/** A program on this machine, whatever it calls itself: only its kind may have a loopback port that floats, or its own scheme. */
export const applicationTypeOf = (uris: readonly unknown[]): 'native' | 'web' =>
  uris.some((uri) => kindOf(uri) !== 'https') ? 'native' : 'web';

/** What the owner reads of where an answer goes. */
export function hostOf(uri: string): string {
  const url = URL.parse(uri);
  if (url === null) return '';
  return /^https?:$/.test(url.protocol) ? url.host : url.protocol;
}
