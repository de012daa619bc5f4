// The guard alone, over every spelling of a Host and an Origin that is not ours.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { foreignHosts, foreignOrigins } from '../../testing/foreign.ts';
import { hostsOf, refusalOf } from './guard.ts';

const PORT = 21731;
const arrive = (headers: string[][], url = '/') => refusalOf({ rawHeaders: headers.flat(), url }, PORT);

describe('guard', () => {
  it('S01 lets through exactly the three names of this listener', () => {
    for (const host of hostsOf(PORT)) {
      expect(arrive([['Host', host]])).toBeNull();
      expect(
        arrive([
          ['host', host],
          ['oRiGiN', `http://${host}`],
        ]),
      ).toBeNull();
    }
  });

  it.each(foreignHosts(PORT))('S01 refuses the Host %j', (host) => {
    expect(arrive([['Host', host]])).toMatch(/Host/);
  });

  it.each(foreignOrigins(PORT))('S01 refuses the Origin %j', (origin) => {
    expect(
      arrive([
        ['Host', `127.0.0.1:${PORT}`],
        ['Origin', origin],
      ]),
    ).toMatch(/Origin/);
  });

  it('S01 refuses a missing Host, a second Host and a second Origin', () => {
    const own = ['Host', `127.0.0.1:${PORT}`];
    expect(arrive([])).toMatch(/missing/);
    expect(arrive([own, ['host', 'evil.com']])).toMatch(/Host/);
    expect(arrive([own, own])).toMatch(/Host/);
    expect(arrive([own, ['Origin', `http://127.0.0.1:${PORT}`], ['origin', 'https://evil.com']])).toMatch(/Origin/);
  });

  it('S01 is not moved by forwarding headers or by an absolute request target', () => {
    expect(
      arrive([
        ['X-Forwarded-Host', `127.0.0.1:${PORT}`],
        ['Host', 'evil.com'],
      ]),
    ).toMatch(/Host/);
    expect(arrive([['Host', `127.0.0.1:${PORT}`]], 'http://evil.com/')).toMatch(/request line/);
    expect(arrive([['Host', `127.0.0.1:${PORT}`]], '*')).toMatch(/request line/);
  });

  it('S01 refuses every other text as Host (property)', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        fc.pre(!hostsOf(PORT).includes(text));
        expect(arrive([['Host', text]])).not.toBeNull();
      }),
    );
  });
});
