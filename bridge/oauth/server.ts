// The authorization routes of the MCP listener: metadata for anyone, sign-in for browsers, tokens for clients. Nothing of the owner's.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import { safeHeaders } from '../base/http/headers.ts';
import { CONSENT_PATH } from './configuration.ts';
import { refuse, visitConsent } from './consent.ts';
import { type OauthParts, wireScopes } from './ports.ts';
import { buildProvider } from './provider.ts';

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource';
const serverMetadata: readonly string[] = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

export interface Oauth {
  /** Answers in Node's own terms, or leaves the request alone. Host and Origin were checked before. */
  native(request: IncomingMessage, response: ServerResponse): boolean;
  /** What any page may read: it names no one and says nothing that is not on every bridge. */
  isOpen(request: IncomingMessage): boolean;
}

const pathOf = (request: IncomingMessage): string => (request.url ?? '/').split('?')[0] ?? '/';
const isMetadata = (path: string): boolean =>
  path === RESOURCE_METADATA || path === `${RESOURCE_METADATA}/mcp` || serverMetadata.includes(path);

export function createOauth(parts: OauthParts): Oauth {
  let built: { mcpUrl: string; provider: Promise<Provider> } | null = null;

  function providerFor(mcpUrl: string): Promise<Provider> {
    if (built?.mcpUrl !== mcpUrl) built = { mcpUrl, provider: buildProvider(parts, mcpUrl) };
    return built.provider;
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { mcpUrl, consoleUrl } = parts.address;
    if (mcpUrl === null || consoleUrl === null) return refuse(response, 503, 'The bridge is still starting.');
    const path = pathOf(request);
    if (path.startsWith(RESOURCE_METADATA)) return describeResource(request, response, mcpUrl);
    const provider = await providerFor(mcpUrl);
    if (path.startsWith(CONSENT_PATH)) return visitConsent({ parts, provider, request, response });
    await provider.callback()(request, response);
  }

  return {
    isOpen: (request) => ['GET', 'HEAD', 'OPTIONS'].includes(request.method ?? '') && isMetadata(pathOf(request)),
    native(request, response) {
      const path = pathOf(request);
      if (!isMetadata(path) && !path.startsWith('/oauth/')) return false;
      for (const [name, value] of Object.entries(safeHeaders)) response.setHeader(name, value);
      if (isMetadata(path)) response.setHeader('cross-origin-resource-policy', 'cross-origin');
      answer(request, response).catch((error: unknown) => {
        parts.log.error({ err: error }, 'authorization request failed');
        if (response.headersSent) response.destroy();
        else refuse(response, 500, 'The request failed here; the bridge log says why.');
      });
      return true;
    },
  };
}

/** RFC 9728, at the path-inserted and the plain address. The resource is spelled as the host that was asked. */
function describeResource({ method, headers }: IncomingMessage, response: ServerResponse, mcpUrl: string): void {
  const { origin, pathname } = new URL(mcpUrl);
  const cors = {
    'access-control-allow-origin': '*',
    'access-control-allow-methods': 'GET, HEAD, OPTIONS',
    'access-control-allow-headers': 'mcp-protocol-version, content-type, accept',
  };
  if (method === 'OPTIONS') return void response.writeHead(204, cors).end();
  if (method !== 'GET' && method !== 'HEAD') return refuse(response, 405, 'This can only be read.');
  const body = {
    resource: `http://${headers.host}${pathname}`,
    authorization_servers: [origin],
    scopes_supported: wireScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'Drawbridge',
  };
  response.writeHead(200, { ...cors, 'content-type': 'application/json' }).end(JSON.stringify(body));
}
