// What the console is made of, handed to every component through the context. One of each, built in compose.ts.
import { getContext, setContext } from 'svelte';
import type { Connection } from './link/connection.svelte.ts';
import type { Access } from './state/access.svelte.ts';
import type { Account } from './state/account.svelte.ts';
import type { Approvals } from './state/approvals.svelte.ts';
import type { Bridge } from './state/bridge.svelte.ts';
import type { Changes } from './state/changes.svelte.ts';
import type { Clients } from './state/clients.svelte.ts';
import type { Clock } from './state/clock.svelte.ts';
import type { Drafts } from './state/drafts.ts';
import type { Events } from './state/events.svelte.ts';
import type { Grants } from './state/grants.svelte.ts';
import type { Language } from './state/language.svelte.ts';
import type { Notices } from './state/notices.svelte.ts';
import type { Now } from './state/now.svelte.ts';
import type { Palette } from './state/palette.svelte.ts';
import type { Projects } from './state/projects.svelte.ts';
import type { Router } from './state/router.svelte.ts';
import type { Search } from './state/search.svelte.ts';
import type { Session } from './state/session.svelte.ts';
import type { Setup } from './state/setup.svelte.ts';
import type { Timeline } from './state/timeline.svelte.ts';
import type { Tokens } from './state/tokens.svelte.ts';
import type { Update } from './state/update.svelte.ts';

export interface Parts {
  access: Access;
  account: Account;
  approvals: Approvals;
  bridge: Bridge;
  changes: Changes;
  clients: Clients;
  clock: Clock;
  connection: Connection;
  drafts: Drafts;
  events: Events;
  grants: Grants;
  language: Language;
  notices: Notices;
  now: Now;
  palette: Palette;
  projects: Projects;
  router: Router;
  search: Search;
  session: Session;
  setup: Setup;
  timeline: Timeline;
  tokens: Tokens;
  update: Update;
}

const KEY = Symbol('parts');

export const provideParts = (parts: Parts): Parts => setContext(KEY, parts);
export const useParts = (): Parts => getContext<Parts>(KEY);
