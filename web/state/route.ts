// Every view has an address: `#/screen`, `#/screen/kind/id`, and a query. Reading and writing one are inverses.

export const screens = ['now', 'approvals', 'projects', 'activity', 'connections', 'settings'] as const;
export type Screen = (typeof screens)[number];

export const openKinds = ['call', 'change', 'approval', 'project', 'token', 'client', 'consent', 'grant'] as const;
export type OpenKind = (typeof openKinds)[number];

/** What the inspector shows beside the screen. */
export interface Open {
  kind: OpenKind;
  id: string;
}

export interface Route {
  screen: Screen | 'unknown';
  open: Open | null;
  query: Readonly<Record<string, string>>;
}

export const home: Route = { screen: 'now', open: null, query: {} };

/** Short forms: the thing is the screen's own, so its kind need not be said. */
const own: Partial<Record<string, { screen: Screen; kind: OpenKind }>> = {
  approvals: { screen: 'approvals', kind: 'approval' },
  projects: { screen: 'projects', kind: 'project' },
  consent: { screen: 'connections', kind: 'consent' },
};

export function parseRoute(hash: string): Route {
  const [path = '', search = ''] = hash.replace(/^#?\/?/, '').split(/\?(.*)/s);
  const parts = path.split('/').filter((part) => part !== '');
  const words = parts.map(decode);
  const query = Object.fromEntries(new URLSearchParams(search));
  const [first = 'now', second, third] = words;
  const short = own[first];
  if (short !== undefined && words.length <= 2)
    return { screen: short.screen, open: second === undefined ? null : { kind: short.kind, id: second }, query };
  const kind = openKinds.find((known) => known === second);
  const isKnown = screens.some((screen) => screen === first) && (words.length < 2 || (kind !== undefined && words.length === 3));
  if (!isKnown) return { screen: 'unknown', open: null, query };
  return { screen: first as Screen, open: kind !== undefined && third !== undefined ? { kind, id: third } : null, query };
}

export function formatRoute(route: Route): string {
  const { screen, open } = route;
  const search = new URLSearchParams(route.query).toString();
  return `#/${pathOf(screen, open)}${search === '' ? '' : `?${search}`}`;
}

function pathOf(screen: Route['screen'], open: Open | null): string {
  if (open === null) return screen;
  const id = encodeURIComponent(open.id);
  if (screen === 'approvals' && open.kind === 'approval') return `approvals/${id}`;
  if (screen === 'projects' && open.kind === 'project') return `projects/${id}`;
  return `${screen}/${open.kind}/${id}`;
}

/** The code of an owner link (`#link=…`), which is spent once and then taken out of the address. */
export function linkCode(hash: string): string | null {
  return /^#link=([\w.~-]{8,512})$/.exec(hash)?.[1] ?? null;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch (cause) {
    if (cause instanceof URIError) return part;
    throw cause;
  }
}
