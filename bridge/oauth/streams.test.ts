// A consent that ends, ends the open streams of its client in under a second, and no other's (S06).
import { describe, expect, it } from 'vitest';
import { silentLog } from '../base/log.ts';
import { serveLoopback } from '../base/http/serve.ts';
import { createClients } from '../capabilities/clients/service.ts';
import { createMcpListener } from '../mcp/http.ts';
import { mcpWorld } from '../testing/mcp.ts';

const AUDIENCE = 'http://127.0.0.1:1/mcp';

async function world() {
  const base = await mcpWorld();
  const clients = createClients({ ...base.state, events: base.events, audience: () => AUDIENCE });
  base.access.addResolver(clients.callerOfBearer);
  const exposure = () => ({ surface: 'full' as const, hidden: [], hasSubagents: false });
  const app = createMcpListener({ ...base, exposure, version: '0.0.0-test', log: silentLog });
  const listening = await serveLoopback({ app, port: 0, log: silentLog, portFlag: '--mcp-port' });
  const stop = clients.onEnded(app.endOf);
  return {
    base,
    clients,
    async admit(clientId: string): Promise<string> {
      clients.ask({ consentId: clientId, clientId, name: clientId, redirectHost: '127.0.0.1', scopes: ['read'] });
      clients.finish(clientId, clients.decide({ consentId: clientId, allow: true }).proof);
      const grantId = `grant-of-${clientId}`;
      await clients.shelf('Grant').upsert(grantId, { clientId, jti: grantId }, 60);
      const token = { clientId, grantId, aud: AUDIENCE, scope: 'dodo:read' };
      await clients.shelf('AccessToken').upsert(`bearer-of-${clientId}`, token, 60);
      return `bearer-of-${clientId}`;
    },
    wait: (bearer: string) =>
      fetch(`${listening.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'wait', arguments: base.context } }),
      }).then(async (answer) => [answer.status, await answer.text()]),
    async [Symbol.asyncDispose]() {
      stop();
      await app.close();
      await listening.close();
      await base[Symbol.asyncDispose]();
    },
  };
}

describe('S06 open streams', () => {
  it.each(['the owner revokes the client', 'the grant is revoked'])('end when %s, and those of another client go on', async (how) => {
    await using bridge = await world();
    const { base, clients } = bridge;
    const [first, second] = [await bridge.admit('first'), await bridge.admit('second')];
    const ended = bridge.wait(first);
    const other = bridge.wait(second);
    await expect.poll(() => base.seen.begun).toBe(2);
    if (how.startsWith('the owner')) clients.revoke('first');
    else await clients.shelf('Grant').destroy('grant-of-first');
    const inTime = new Promise((resolve) => setTimeout(() => resolve('too late'), 1000));
    expect(await Promise.race([ended, inTime])).not.toBe('too late');
    expect(base.seen.cancelled).toBe(1);
    clients.revoke('second');
    await other;
    expect(base.seen.cancelled).toBe(2);
  });

  it('B38 a bearer past its time is no one, and a clock set back does not revive it', async () => {
    await using bridge = await world();
    const { base } = bridge;
    const bearer = await bridge.admit('one');
    base.state.clock.advance(59_000);
    expect(base.access.callerOfBearer(bearer).principal).toBe('client:one');
    base.state.clock.advance(1_000);
    expect(() => base.access.callerOfBearer(bearer)).toThrow(/valid bearer/);
    base.state.clock.advance(-24 * 60 * 60 * 1000);
    expect(() => base.access.callerOfBearer(bearer)).toThrow(/valid bearer/);
  });

  it('a bearer of another audience or of a revoked client is no one', async () => {
    await using bridge = await world();
    const { base, clients } = bridge;
    const bearer = await bridge.admit('one');
    expect(base.access.callerOfBearer(bearer).principal).toBe('client:one');
    const foreign = { clientId: 'one', aud: 'https://other.example/mcp', scope: 'dodo:read' };
    await clients.shelf('AccessToken').upsert('foreign', foreign, 60);
    expect(() => base.access.callerOfBearer('foreign')).toThrow(/valid bearer/);
    clients.revoke('one');
    expect(() => base.access.callerOfBearer(bearer)).toThrow(/valid bearer/);
  });
});
