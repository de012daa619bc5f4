// The account behind a loopback connection, as Linux tells it, and nothing where it is not told.
import { createServer, connect, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { accountIn, accountOf, isAnotherAccount } from './account.ts';

const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:54E3 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1000        0 1 1 0 100 0 0 10 0
   1: 0100007F:54E3 0100007F:C350 01 00000000:00000000 00:00000000 00000000  1000        0 2 1 0 20 4 30 10 -1
   2: 0100007F:C350 0100007F:54E3 01 00000000:00000000 00:00000000 00000000  1001        0 3 1 0 20 4 30 10 -1
   3: 0200007F:C351 0100007F:54E3 01 00000000:00000000 00:00000000 00000000  1002        0 4 1 0 20 4 30 10 -1
`;
const mapped = table.replaceAll('0100007F', '0000000000000000FFFF00000100007F');

describe('accountIn', () => {
  it.each([
    ['the other end, not its own', table, 50_000, 1001],
    ['the same through a socket of both families', mapped, 50_000, 1001],
    ['nothing for an end that is not loopback', table, 50_001, null],
    ['nothing for an end that has no row', table, 50_002, null],
    ['nothing in a table that it cannot read', 'x\ny z', 50_000, null],
  ])('tells %s', (...[, text, peerPort, expected]) => {
    expect(accountIn(text, { peerPort, ownPort: 21_731 })).toBe(expected);
  });
});

describe('accountOf', () => {
  it('is this account for a connection of this process, where the system tells', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const client = connect(port, '127.0.0.1');
    await new Promise((resolve) => client.once('connect', resolve));
    expect(accountOf({ peerPort: client.localPort ?? 0, ownPort: port })).toBe(process.platform === 'linux' ? process.getuid?.() : null);
    client.destroy();
    server.close();
  });
});

describe('isAnotherAccount', () => {
  it('is neither this one, nor root, nor one that is not known', () => {
    const own = process.getuid?.() ?? 0;
    expect([null, 0, own, own + 1].map(isAnotherAccount)).toEqual([false, false, false, true]);
  });
});
