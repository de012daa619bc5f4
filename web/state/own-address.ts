// Where a sign-in may send this browser on: the bridge's own listener for clients, and nowhere else.
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]']);

export function isOwnAddress(address: string, mcpUrl: string | null): boolean {
  if (mcpUrl === null || !URL.canParse(address)) return false;
  const { protocol, hostname, port, username } = new URL(address);
  return protocol === 'http:' && username === '' && LOOPBACK.has(hostname) && port === new URL(mcpUrl).port;
}
