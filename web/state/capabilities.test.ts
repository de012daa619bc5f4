// B36: what a browser is missing at an address is told function by function, and never guessed from its name.
import { describe, expect, it } from 'vitest';
import { capabilitiesOf, capabilityNames, type Surroundings } from './capabilities.ts';
import { en } from '../words/en.ts';

const all: Surroundings = {
  isSecureContext: true,
  hasSubtleCrypto: true,
  hasServiceWorker: true,
  hasPush: true,
  hasClipboard: true,
  hasStorage: true,
};
const missing = (over: Partial<Surroundings>) => {
  const works = capabilitiesOf({ ...all, ...over });
  return capabilityNames.filter((name) => !works[name]);
};

describe('capabilitiesOf', () => {
  it('finds nothing missing on this machine or over https', () => {
    expect(missing({})).toEqual([]);
  });

  it('B36 over plain http from another machine: all that needs a secure context', () => {
    const plain = { isSecureContext: false, hasSubtleCrypto: false, hasServiceWorker: false, hasPush: false, hasClipboard: false };
    expect(missing(plain)).toEqual(['secure', 'crypto', 'offline', 'installable', 'push', 'clipboard']);
  });

  it.each([
    [{ hasPush: false }, ['push']],
    [{ hasServiceWorker: false }, ['offline', 'installable', 'push']],
    [{ hasStorage: false }, ['storage']],
  ])('B36 names just what is not there: %j', (over, expected) => {
    expect(missing(over)).toEqual(expected);
  });

  it('has a name and a reason for each', () => {
    for (const name of capabilityNames) expect(Object.values(en.settings.capabilities[name]).every((text) => text.length > 3)).toBe(true);
  });
});
