// Where a sign-in leaves for the console and where it comes back. It needs the cookie of the browser that began and the proof of who decided.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Interaction, Provider } from 'oidc-provider';
import { CONSENT_PATH, OWNER } from './configuration.ts';
import { type OauthParts, PREFIX, type ScopeName } from './ports.ts';
import { scopesIn } from './configuration.ts';

interface Visit {
  parts: OauthParts;
  provider: Provider;
  request: IncomingMessage;
  response: ServerResponse;
}

const ID = /^[\w-]{16,64}$/;

export async function visitConsent(visit: Visit): Promise<void> {
  const { parts, request, response } = visit;
  const url = new URL(request.url ?? '/', 'http://bridge');
  const consentId = url.pathname.slice(CONSENT_PATH.length);
  const proof = url.searchParams.get('proof');
  if (request.method !== 'GET' || !ID.test(consentId)) return refuse(response, 404, 'There is nothing at this address.');
  const interaction = await interactionOf(visit, consentId);
  if (interaction === null)
    return refuse(response, 400, 'This browser did not begin this sign-in, or it ran out. Nothing was granted; begin again in the client.');
  if (proof === null) return redirect(response, `${parts.address.consoleUrl}/#/consent/${consentId}`);
  const decided = parts.clients.finish(consentId, proof);
  if (decided === null) return refuse(response, 400, 'This sign-in was not decided by the owner. Nothing was granted.');
  await finish(visit, interaction, decided.allowed ? decided.scopes : []);
}

/** null unless the cookie of this very sign-in came with the request. */
async function interactionOf({ provider, request, response }: Visit, consentId: string): Promise<Interaction | null> {
  try {
    const interaction = await provider.interactionDetails(request, response);
    return interaction.uid === consentId ? interaction : null;
  } catch (thrown) {
    if (thrown instanceof Error && thrown.name === 'SessionNotFound') return null;
    throw thrown;
  }
}

async function finish({ provider, request, response }: Visit, { params }: Interaction, scopes: ScopeName[]): Promise<void> {
  const result =
    scopes.length === 0
      ? { error: 'access_denied', error_description: 'the owner denied the request' }
      : { login: { accountId: OWNER, remember: false }, consent: { grantId: await grant(provider, params, scopes) } };
  await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
}

/** What was asked for and not allowed is written down as refused, so that it is not asked for again at once. */
async function grant(provider: Provider, params: Record<string, unknown>, scopes: ScopeName[]): Promise<string> {
  const given = scopes.map((name) => PREFIX + name).join(' ');
  const withheld = scopesIn(params['scope'])
    .filter((name) => !scopes.includes(name))
    .map((name) => PREFIX + name)
    .join(' ');
  const made = new provider.Grant({ accountId: OWNER, clientId: String(params['client_id']) });
  made.addOIDCScope(`openid offline_access ${given}`);
  for (const resource of [params['resource']].flat().map(String)) {
    made.addResourceScope(resource, given);
    if (withheld !== '') made.rejectResourceScope(resource, withheld);
  }
  if (withheld !== '') made.rejectOIDCScope(withheld);
  return made.save();
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { location, 'content-length': '0' }).end();
}

export function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' }).end(`${why}\n`);
}
