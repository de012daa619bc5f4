// The official clients of both SDKs sign in by themselves: they find the metadata, register, and bring back the code.
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it } from 'vitest';
import { keeper } from '../testing/keeper.ts';
import { Browser, consentOf, signInWorld } from '../testing/signin.ts';

const REDIRECT = 'http://127.0.0.1:40123/callback';
const about = { name: 'test', version: '1' };

interface Way {
  connect(
    url: URL,
    provider: unknown,
  ): { connected: Promise<{ names: string[]; close(): Promise<void> }>; finish(answer: URL): Promise<void> };
}

const v2 = (options?: object): Way => ({
  connect(url, provider) {
    const transport = new HttpV2(url, { authProvider: provider as never });
    const client = new ClientV2(about, options);
    return {
      connected: client.connect(transport).then(async () => {
        const { tools } = await client.listTools();
        return { names: tools.map(({ name }) => name), close: () => client.close() };
      }),
      finish: (answer) => transport.finishAuth(answer.searchParams),
    };
  },
});

const ways: Record<string, Way> = {
  'SDK 1': {
    connect(url, provider) {
      const transport = new HttpV1(url, { authProvider: provider as never });
      const client = new ClientV1(about);
      return {
        connected: client.connect(transport as never).then(async () => {
          const { tools } = await client.listTools();
          return { names: tools.map(({ name }) => name), close: () => client.close() };
        }),
        finish: (answer) => transport.finishAuth(answer.searchParams.get('code') ?? ''),
      };
    },
  },
  'SDK 2, 2025 revision': v2(),
  'SDK 2, 2026-07-28': v2({ versionNegotiation: { mode: { pin: '2026-07-28' } } }),
};

describe.each(Object.entries(ways))('%s', (_name, way) => {
  it.each(['127.0.0.1', 'localhost'])(
    'signs in from nothing at %s, works, refreshes by itself, and ends with its consent',
    async (host) => {
      await using world = await signInWorld();
      const url = new URL(world.mcpUrl.replace('127.0.0.1', host));
      const { kept, pages, provider } = keeper('An SDK client', REDIRECT);
      const first = way.connect(url, provider);
      await expect(first.connected).rejects.toThrow();
      const browser = new Browser();
      const consentId = consentOf((await browser.follow(pages[0]?.href ?? '')).location);
      const { consent } = await world.owner<{ consent: unknown }>('consent_show', { consentId });
      expect(consent).toMatchObject({ name: 'An SDK client', scopes: ['read', 'write', 'exec'], redirectHost: '127.0.0.1:40123' });
      const { resumeUrl } = await world.owner<{ resumeUrl: string }>('consent_decide', { consentId, allow: true, scopes: ['read'] });
      await first.finish(new URL((await browser.follow(resumeUrl)).location ?? ''));

      const second = await way.connect(url, provider).connected;
      expect(second.names).toContain('project_overview');
      await second.close();

      // A bearer that ran out: the client trades its refresh token without asking anyone.
      const before = kept['tokens'] as Record<string, string>;
      kept['tokens'] = { ...before, access_token: 'ran-out' };
      const third = await way.connect(url, provider).connected;
      await third.close();
      const after = kept['tokens'] as Record<string, string>;
      expect(after['refresh_token']).not.toBe(before['refresh_token']);
      expect(pages).toHaveLength(1);

      const { client_id: clientId = '' } = kept['client'] as Record<string, string>;
      await world.owner('client_revoke', { clientId });
      await expect(way.connect(url, provider).connected).rejects.toThrow();
    },
  );
});
