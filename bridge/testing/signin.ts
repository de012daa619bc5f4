// A whole bridge with both listeners, a browser that keeps cookies and follows redirects by hand, and the owner's answers.
import { mkdirSync } from 'node:fs';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { createApp, type App } from '../app.ts';
import type { FetchDocument } from '../base/http/outbound.ts';
import { type Log, silentLog } from '../base/log.ts';
import { locationsOf, makeHome } from '../locations.ts';
import { workspace } from './workspace.ts';

/** One browser profile: cookies by path, as a browser keeps them; ports share them, hosts do not. */
export class Browser {
  readonly cookies = new Map<string, { value: string; path: string; host: string }>();

  async visit(url: string): Promise<{ status: number; location: string | null; text: string }> {
    const { hostname, pathname } = new URL(url);
    const sent = [...this.cookies.entries()].filter(([, { path, host }]) => host === hostname && pathname.startsWith(path));
    const cookie = sent.map(([key, { value }]) => `${key.split('|')[0]}=${value}`).join('; ');
    const answer = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = '', ...attributes] = line.split('; ');
      const path = attributes.find((attribute) => attribute.startsWith('path='))?.slice(5) ?? '/';
      const [name = '', value = ''] = pair.split(/=(.*)/s);
      if (value === '') this.cookies.delete(`${name}|${path}`);
      else this.cookies.set(`${name}|${path}`, { value, path, host: hostname });
    }
    return { status: answer.status, location: answer.headers.get('location'), text: await answer.text() };
  }

  /** Follows redirects of this origin; ends at the first that leads elsewhere, or at a page. */
  async follow(url: string): Promise<{ status: number; location: string | null; text: string; at: string }> {
    let at = url;
    for (;;) {
      const answer = await this.visit(at);
      const next = answer.location === null ? null : new URL(answer.location, at);
      if (next === null || next.origin !== new URL(url).origin) return { ...answer, at };
      at = next.href;
    }
  }
}

export interface SignInWorld extends AsyncDisposable {
  /** As it runs now. */
  readonly app: App;
  origin: string;
  mcpUrl: string;
  projectId: string;
  owner<T>(operation: string, input?: Record<string, unknown>): Promise<T>;
  register(redirectUris: string[], more?: Record<string, unknown>): Promise<{ status: number; body: Record<string, string> }>;
  /** The address that begins a sign-in; `null` leaves a parameter out. */
  begin(clientId: string, redirect: string, changes?: Record<string, string | null>): { url: string; verifier: string };
  token(form: Record<string, string>): Promise<{ status: number; body: Record<string, string> }>;
  /** Signs a client in with a browser and gives its tokens. */
  signIn(options?: { allow?: Record<string, unknown>; scope?: string; browser?: Browser }): Promise<{
    clientId: string;
    tokens: Record<string, string>;
    form: Record<string, string>;
    answer: URL;
  }>;
  /** One call of `tools/list` with a bearer. */
  list(bearer: string): Promise<Response>;
  /** Ends the bridge and starts another one over the same state, at the same address. */
  restart(): Promise<void>;
}

export const REDIRECT = 'http://127.0.0.1/callback';

/** The id of the consent that a browser was sent to the console for. */
export const consentOf = (location: string | null): string => (location ?? '').split('#/consent/')[1] ?? '';

export async function signInWorld({
  log = silentLog,
  fetchDocument,
}: { log?: Log; fetchDocument?: FetchDocument } = {}): Promise<SignInWorld> {
  const folder = await workspace({ 'a.txt': 'alpha\n' });
  const home = join(folder.outside, 'home');
  mkdirSync(home);
  const locations = locationsOf(home, join(home, 'no-console'));
  makeHome(locations);
  const launch = { command: 'drawbridge', args: [] };
  const options = { locations, version: '0.0.0-test', log, launch, ...(fetchDocument === undefined ? {} : { fetchDocument }) };
  let app = await createApp(options);
  const { projectId } = (await app.projects.add(folder.root)).project;
  await app.listen({ mcpPort: 0, consolePort: 0, tools: null });
  const mcpUrl = app.address.mcpUrl ?? '';
  const { origin } = new URL(mcpUrl);

  const { owner, register, token, begin } = doorsOf(() => app, mcpUrl);

  return {
    ...{ origin, mcpUrl, projectId, owner, register, token, begin },
    get app() {
      return app;
    },
    async restart() {
      await app.close();
      // The clients are in this very process, and have to hear first that their connections ended.
      for (let turn = 0; turn < 3; turn += 1) await setImmediate();
      app = await createApp(options);
      await app.listen({ mcpPort: Number(new URL(mcpUrl).port), consolePort: 0, tools: null });
    },
    async signIn({ allow = {}, scope = 'dodo:read dodo:write', browser = new Browser() } = {}) {
      const clientId = (await register([REDIRECT])).body['client_id'] ?? '';
      const redirect = 'http://127.0.0.1:49231/callback';
      const { url, verifier } = begin(clientId, redirect, { scope });
      const consentId = consentOf((await browser.follow(url)).location);
      const { resumeUrl } = await owner<{ resumeUrl: string }>('consent_decide', { consentId, allow: true, ...allow });
      const answer = new URL((await browser.follow(resumeUrl)).location ?? '');
      const code = answer.searchParams.get('code') ?? '';
      const form = { grant_type: 'authorization_code', client_id: clientId, code, redirect_uri: redirect, code_verifier: verifier };
      return { clientId, tokens: (await token(form)).body, form, answer };
    },
    list: (bearer) =>
      fetch(mcpUrl, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${bearer}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
      }),
    async [Symbol.asyncDispose]() {
      await app.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** The requests that clients and the owner make. */
function doorsOf(app: () => App, mcpUrl: string) {
  const { origin } = new URL(mcpUrl);

  async function owner<T>(operation: string, input: Record<string, unknown> = {}): Promise<T> {
    const caller = () => app().access.ownerCaller('owner');
    const { envelope } = await app().invoke({ operation, input, context: {}, caller, surface: 'test', session: 'owner' });
    if (!envelope.ok) throw new Error(`${envelope.error?.code}: ${envelope.error?.message}`);
    return envelope.data as T;
  }
  const post = async (path: string, body: string, type: string) => {
    const answer = await fetch(origin + path, { method: 'POST', headers: { 'content-type': type }, body });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const register = (redirectUris: string[], more: Record<string, unknown> = {}) =>
    post('/oauth/register', JSON.stringify({ client_name: 'A client', redirect_uris: redirectUris, ...more }), 'application/json');
  const token = (form: Record<string, string>) =>
    post('/oauth/token', new URLSearchParams(form).toString(), 'application/x-www-form-urlencoded');

  function begin(clientId: string, redirect: string, changes: Record<string, string | null> = {}) {
    const verifier = randomBytes(32).toString('base64url');
    const wish: Record<string, string | null> = {
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirect,
      state: 'the-state',
      scope: 'dodo:read dodo:write',
      resource: mcpUrl,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...changes,
    };
    const params = Object.entries(wish).filter((pair): pair is [string, string] => pair[1] !== null);
    return { url: `${origin}/oauth/authorize?${new URLSearchParams(params)}`, verifier };
  }

  return { owner, register, token, begin };
}
