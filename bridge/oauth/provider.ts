// The certified server, built for one address. It is loaded when a client first asks, because most bridges never need it.
import type { Context, Provider } from 'oidc-provider';
import { configurationOf, scopesIn } from './configuration.ts';
import { type OauthParts, wireScopes } from './ports.ts';
import { quietly } from './quiet.ts';

export function buildProvider(parts: OauthParts, mcpUrl: string): Promise<Provider> {
  return quietly(parts.log, async () => {
    const { Provider: Server, errors } = await import('oidc-provider');
    const refuseTarget = () => new errors.InvalidTarget('only the MCP endpoint of this bridge can be asked for');
    const provider = new Server(new URL(mcpUrl).origin, configurationOf(parts, { mcpUrl, refuseTarget }));
    provider.use(narrowAnswers);
    provider.on('server_error', (_ctx, err) => parts.log.error({ err }, 'authorization server'));
    for (const event of ['authorization.error', 'grant.error', 'registration_create.error'])
      provider.on(event, (_ctx, err) => parts.log.debug({ err }, 'authorization refused'));
    return provider;
  });
}

/** Answers travel in the query of a redirect alone: a form on this port would be one that a client could drive. */
async function narrowAnswers(ctx: Context, next: () => Promise<void>): Promise<void> {
  if (ctx.path === '/oauth/authorize') {
    const { scope, response_mode: mode } = ctx.query;
    if (mode !== undefined && mode !== 'query') {
      ctx.status = 400;
      ctx.body = 'invalid_request: only the response mode "query" is served\n';
      return;
    }
    // Who names no right is shown to the owner as asking for all of them, and the owner chooses.
    if (!Array.isArray(scope) && scopesIn(scope).length === 0)
      ctx.query = { ...ctx.query, scope: [scope, ...wireScopes].filter((word) => word !== undefined).join(' ') };
  }
  await next();
  if (ctx.path.startsWith('/.well-known/') && typeof ctx.body === 'object' && ctx.body !== null)
    Object.assign(ctx.body, { response_modes_supported: ['query'] });
}
