// The browser follows a sign-in to the bridge's own listener only, however the address is dressed up.
import { describe, expect, it } from 'vitest';
import { isOwnAddress } from './own-address.ts';

const mcpUrl = 'http://127.0.0.1:21730/mcp';

describe('isOwnAddress', () => {
  it.each([
    ['http://127.0.0.1:21730/oauth/auth/x', true],
    ['http://localhost:21730/oauth/auth/x', true],
    ['http://[::1]:21730/oauth/auth/x', true],
    ['http://127.0.0.1:21731/oauth/auth/x', false],
    ['https://127.0.0.1:21730/oauth', false],
    ['http://127.0.0.1.example.test:21730/', false],
    ['http://127.0.0.1:21730@example.test/', false],
    ['http://example.test@127.0.0.1:21730/', false],
    ['javascript:alert(1)', false],
    ['//example.test', false],
    ['', false],
  ])('%s', (address, isOwn) => {
    expect(isOwnAddress(address, mcpUrl)).toBe(isOwn);
  });

  it('nothing is its own while the bridge does not listen', () => {
    expect(isOwnAddress(mcpUrl, null)).toBe(false);
  });
});
