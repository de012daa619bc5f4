// Which local account a loopback connection comes from, by the system's own table. Linux only; elsewhere, and for what has no row, it is not known.
import { existsSync, readFileSync } from 'node:fs';

/** Both ends of a connection as this server sees them. */
export interface Ends {
  peerPort: number;
  ownPort: number;
}

const LOOPBACK = ['0100007F', '0000000000000000FFFF00000100007F'];
const tables = ['/proc/net/tcp', '/proc/net/tcp6'];

/** The user id that owns the other end, or null. */
export function accountOf(ends: Ends): number | null {
  for (const table of tables.filter((path) => existsSync(path))) {
    const found = accountIn(readFileSync(table, 'latin1'), ends);
    if (found !== null) return found;
  }
  return null;
}

/** Columns: number, local address, remote address, state, queues, timer, retransmits, user id. */
export function accountIn(table: string, { peerPort, ownPort }: Ends): number | null {
  for (const line of table.split('\n').slice(1)) {
    const [, local = '', remote = '', , , , , uid = ''] = line.trim().split(/\s+/);
    if (isLoopback(local, peerPort) && isLoopback(remote, ownPort) && /^\d+$/.test(uid)) return Number(uid);
  }
  return null;
}

function isLoopback(address: string, port: number): boolean {
  const [host = '', hexPort = ''] = address.split(':');
  return LOOPBACK.includes(host) && Number.parseInt(hexPort, 16) === port;
}

/** Another account of this machine. Root could read anything here anyway, and relays connections of the owner on some systems. */
export const isAnotherAccount = (account: number | null): boolean => account !== null && account !== 0 && account !== process.getuid?.();
