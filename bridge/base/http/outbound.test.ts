// Which addresses count as the public internet, and that the check is made on what is dialled (S22).
import { once } from 'node:events';
import { request } from 'node:https';
import { type AddressInfo, createServer, type LookupFunction } from 'node:net';
import { describe, expect, it } from 'vitest';
import { fetchPublic, isPublicAddress, publicOnly } from './outbound.ts';

describe('S22 the public internet', () => {
  it.each(['127.0.0.1', '127.9.9.9', '10.0.0.1', '172.31.0.1', '192.168.1.1', '169.254.169.254', '100.64.0.1', '0.0.0.0', '224.0.0.1'])(
    '%s is not of it',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );
  it.each(['255.255.255.255', '::1', '::', '::ffff:127.0.0.1', '::ffff:8.8.8.8', 'fe80::1', 'fd00::1', '64:ff9b::7f00:1', '2002:7f00:1::'])(
    '%s is not of it',
    (address) => expect(isPublicAddress(address)).toBe(false),
  );
  it.each(['2130706433', '0177.0.0.1', 'localhost', ''])('"%s" is no address', (text) => expect(isPublicAddress(text)).toBe(false));
  it.each(['8.8.8.8', '172.32.0.1', '2606:4700:4700::1111'])('%s is', (address) => expect(isPublicAddress(address)).toBe(true));

  it('refuses a name of which one address leads inside, whichever comes first', async () => {
    const names = (addresses: string[]) =>
      publicOnly(((_name: string, _options: unknown, done: (error: null, found: unknown) => void) =>
        done(
          null,
          addresses.map((address) => ({ address, family: 4 })),
        )) as never);
    const answer = (addresses: string[]) =>
      new Promise((resolve) => names(addresses)('a.example', {}, (error, address) => resolve(error?.message ?? address)));
    expect(await answer(['8.8.8.8'])).toBe('8.8.8.8');
    expect(await answer(['8.8.8.8', '127.0.0.1'])).toMatch(/not on the public internet/);
    expect(await answer([])).toMatch(/not on the public internet/);
  });

  it('asks for the address that is dialled, so that a name which changed since it was looked at leads nowhere', async () => {
    let dialled = 0;
    const canary = createServer((socket) => void ((dialled += 1), socket.destroy())).listen(0, '127.0.0.1');
    await once(canary, 'listening');
    const { port } = canary.address() as AddressInfo;
    const flipping = () => {
      const answers = ['8.8.8.8', '127.0.0.1'];
      return ((_name: string, _options: unknown, done: (error: null, found: unknown) => void) =>
        done(null, [{ address: answers.shift() ?? '127.0.0.1', family: 4 }])) as never;
    };
    const dial = async (lookup: LookupFunction) => {
      const looked = await new Promise((resolve) => lookup('flips.example', { all: true }, (error, found) => resolve(error ?? found)));
      expect(looked).toEqual([{ address: '8.8.8.8', family: 4 }]);
      const [error] = (await once(request({ host: 'flips.example', port, lookup, agent: false }).end(), 'error')) as [Error];
      return error.message;
    };
    try {
      await dial(flipping());
      expect(dialled).toBe(1);
      expect(await dial(publicOnly(flipping()))).toMatch(/not on the public internet/);
      expect(dialled).toBe(1);
    } finally {
      canary.close();
    }
  });

  it.each(['http://example.com/', 'https://127.0.0.1/', 'https://2130706433/', 'https://0x7f.1/', 'https://[::1]/', 'https://localhost/'])(
    'does not fetch %s',
    async (url) => {
      await expect(fetchPublic(url)).rejects.toThrow(/public internet|https/);
    },
  );
});
