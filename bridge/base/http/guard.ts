// Decides before any routing whether a request was meant for this listener: an exact Host and no foreign Origin (S01).

/** What a listener knows of a request before it trusts any of it. */
export interface Arrival {
  rawHeaders: readonly string[];
  url?: string | undefined;
}

/** The Host values a listener on this port answers to. Compared as text: no case folding, no parsing, nothing to confuse. */
export const hostsOf = (port: number): readonly string[] => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

/**
 * null when the request may be routed, else why not, in words that repeat nothing the sender wrote.
 * What is open may be read by the pages of any origin; it is still asked at an exact Host.
 */
export function refusalOf(arrival: Arrival, port: number, isOpen = false): string | null {
  if (!arrival.url?.startsWith('/')) return 'The request line does not name a path on this listener.';
  const [host, ...otherHosts] = valuesOf(arrival.rawHeaders, 'host');
  if (host === undefined) return 'The Host header is missing.';
  if (otherHosts.length > 0 || !hostsOf(port).includes(host)) return 'The Host header is not one of this listener.';
  if (isOpen) return null;
  const origins = valuesOf(arrival.rawHeaders, 'origin');
  // Not "any of ours": a page at localhost and one at 127.0.0.1 are two origins to a browser, and so they are here.
  if (origins.some((origin) => origin !== `http://${host}`)) return 'The Origin header is not the origin of this listener.';
  return null;
}

function valuesOf(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) values.push(rawHeaders[at + 1] ?? '');
  return values;
}
