// Fetching from the public internet only: https, and no address that is not public, decided on the very address that is dialled.
import { lookup as lookupAll, type LookupAddress } from 'node:dns';
import { request } from 'node:https';
import { BlockList, isIP, type LookupFunction } from 'node:net';
import { Readable } from 'node:stream';

const notPublic = new BlockList();
const subnets: readonly [string, number, 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
];
for (const [network, bits, family] of subnets) notPublic.addSubnet(network, bits, family);

const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');
const notGlobal = new BlockList();
const tunnels: readonly [string, number][] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];
for (const [network, bits] of tunnels) notGlobal.addSubnet(network, bits, 'ipv6');

/** Only an address of the public internet: what is mapped, tunnelled, private, local or reserved is not one. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublic.check(address, 'ipv4');
  return family === 6 && globalUnicast.check(address, 'ipv6') && !notGlobal.check(address, 'ipv6');
}

const refused = (): Error => new Error('The host is not on the public internet.');

/** All of a name's addresses must be public: a name that also leads inside is not to be trusted with the choice. */
export function publicOnly(resolve: typeof lookupAll = lookupAll): LookupFunction {
  return (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, found: LookupAddress[]) => {
      const [first] = found ?? [];
      if (error !== null) return done(error, '');
      if (first === undefined || !found.every(({ address }) => isPublicAddress(address))) return done(refused(), '');
      return options.all === true ? done(null, found) : done(null, first.address, first.family);
    });
}

export type FetchDocument = (url: string | URL, options?: { headers?: Headers; signal?: AbortSignal }) => Promise<Response>;

/** A GET that follows nothing. The caller bounds its time by the signal, and how much of the body it reads. */
export const fetchPublic: FetchDocument = async (url, { headers, signal } = {}) => {
  const { protocol, hostname } = new URL(url);
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (protocol !== 'https:') throw new Error('Only https is fetched.');
  if (isIP(literal) !== 0 && !isPublicAddress(literal)) throw refused();
  return new Promise((resolve, reject) => {
    const sent = { headers: Object.fromEntries(new Headers(headers)), lookup: publicOnly(), agent: false as const };
    const asked = request(url, { ...sent, ...(signal === undefined ? {} : { signal }) }, (answer) => {
      const { statusCode = 502, headers: received } = answer;
      const pairs = Object.entries(received).map(([name, value]): [string, string] => [name, String(value)]);
      const hasBody = ![204, 205, 304].includes(statusCode);
      const body = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array>) : null;
      resolve(new Response(body, { status: Math.max(statusCode, 200), headers: pairs }));
    });
    asked.on('error', reject);
    asked.end();
  });
};
