// Builds every part of the console by hand, in order.
import { createConnect } from './link/client.ts';
import { Connection } from './link/connection.svelte.ts';
import type { Parts } from './parts.ts';
import { Access } from './state/access.svelte.ts';
import { Account } from './state/account.svelte.ts';
import { Approvals } from './state/approvals.svelte.ts';
import { Bridge } from './state/bridge.svelte.ts';
import { storageOf } from './state/capabilities.ts';
import { Changes } from './state/changes.svelte.ts';
import { Clock } from './state/clock.svelte.ts';
import { Drafts } from './state/drafts.ts';
import { Events } from './state/events.svelte.ts';
import { Grants } from './state/grants.svelte.ts';
import { Language } from './state/language.svelte.ts';
import { Notices } from './state/notices.svelte.ts';
import { Now } from './state/now.svelte.ts';
import { Palette } from './state/palette.svelte.ts';
import { Projects } from './state/projects.svelte.ts';
import { Router } from './state/router.svelte.ts';
import { Search } from './state/search.svelte.ts';
import { Session } from './state/session.svelte.ts';
import { Setup } from './state/setup.svelte.ts';
import { Timeline } from './state/timeline.svelte.ts';
import { Clients } from './state/clients.svelte.ts';
import { Tokens } from './state/tokens.svelte.ts';
import { Update } from './state/update.svelte.ts';
import { paletteItems } from './views/palette/items.ts';

export function compose(): Parts {
  const local = storageOf('localStorage');
  const drafts = new Drafts(storageOf('sessionStorage'));
  const session = new Session();
  const connect = createConnect(session);
  const language = new Language(local, navigator.languages);
  const clock = new Clock();
  const events = new Events(connect);
  const search = new Search(connect);
  const timeline = new Timeline(events, search);
  const account = new Account(connect, local);
  const bridge = new Bridge(connect, clock);
  const projects = new Projects(connect);
  const tokens = new Tokens(connect);
  const clients = new Clients(connect);
  const setup = new Setup(connect);
  const changes = new Changes(connect);
  const approvals = new Approvals(connect, clock, drafts);
  const grants = new Grants(connect, clock);
  const connection = new Connection({
    cursor: () => events.cursor(),
    onFrame: (frame) => events.receive(frame),
    isStillPaired: () => session.isStillPaired(),
  });
  const now = new Now({ approvals, changes, clock, connection, events, projects, tokens });
  const base = { account, approvals, bridge, changes, clock, connection, drafts, events, language, now, projects };
  const more = {
    access: new Access(connect),
    clients,
    grants,
    notices: new Notices(),
    router: new Router(),
    search,
    session,
    setup,
    timeline,
    tokens,
    update: new Update(),
  };
  const parts: Parts = { ...base, ...more, palette: new Palette(() => paletteItems(parts)) };
  return parts;
}
