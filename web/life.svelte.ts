// What happens when: pairing, the link coming and going, and which lines make which knowledge old.
import { untrack } from 'svelte';
import type { BridgeEvent } from '#shared/events.ts';
import { callOf } from './state/line.ts';
import { linkCode } from './state/route.ts';
import type { Parts } from './parts.ts';

const ASK_AGAIN_MS = 3000;

/** Starts everything that goes on by itself. */
export function live(parts: Parts): () => void {
  // First, so that a one-time code has left the address before anything reads it.
  void parts.session.open();
  const stops = [parts.router.start(), parts.clock.start(), parts.events.onNew((batch) => heard(parts, batch)), listen(parts)];
  const stopEffects = $effect.root(() => {
    $effect(() => (parts.session.phase === 'paired' ? untrack(() => whilePaired(parts)) : undefined));
    $effect(() => (parts.session.phase === 'unreachable' ? askAgain(parts) : undefined));
    $effect(() => {
      if (parts.connection.hello !== null) untrack(() => void linked(parts));
    });
    $effect(() => {
      const newest = parts.events.recent[0];
      if (newest !== undefined) untrack(() => parts.account.saw(newest));
    });
  });
  return () => [...stops, stopEffects].forEach((stop) => stop());
}

function listen({ connection, router, session }: Parts): () => void {
  const retry = () => connection.retry();
  const seen = () => document.visibilityState === 'visible' && connection.retry();
  const followLink = () => {
    if (linkCode(location.hash) === null) return;
    void session.open();
    router.read();
  };
  addEventListener('online', retry);
  addEventListener('hashchange', followLink);
  document.addEventListener('visibilitychange', seen);
  return () => {
    removeEventListener('online', retry);
    removeEventListener('hashchange', followLink);
    document.removeEventListener('visibilitychange', seen);
  };
}

function askAgain({ session }: Parts): () => void {
  const timer = setInterval(() => void session.renew(), ASK_AGAIN_MS);
  return () => clearInterval(timer);
}

function whilePaired(parts: Parts): () => void {
  let isOver = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const begin = async () => {
    const hasBegun = await parts.events.begin();
    if (isOver) return;
    if (hasBegun) parts.connection.start();
    else timer = setTimeout(() => void begin(), ASK_AGAIN_MS);
  };
  void begin();
  return () => {
    isOver = true;
    clearTimeout(timer);
    parts.connection.stop();
  };
}

/** After every hello: what was known may have changed while nobody told. */
async function linked(parts: Parts): Promise<void> {
  const { account, approvals, bridge, changes, clients, connection, events, projects, search, tokens, update } = parts;
  void update.check();
  // What a search found is not in the account that stands here now.
  if (connection.hello?.gap === true) search.begin(search.wanted, events.head);
  const status = bridge.status.refresh();
  await Promise.all([status, approvals.list.refresh(), tokens.list.refresh(), clients.list.refresh(), projects.list.refresh()]);
  const home = bridge.status.value?.home;
  if (home !== undefined) {
    account.belongsTo(home);
    await account.verify();
  }
  const ready = (projects.list.value ?? []).filter((project) => project.readiness === 'ready');
  await Promise.all(ready.map((project) => changes.history(project.projectId).refresh()));
}

function heard(parts: Parts, batch: readonly BridgeEvent[]): void {
  const { access, approvals, changes, clients, grants, projects, search, tokens } = parts;
  const tells = (area: string) => batch.some((event) => event.kind.startsWith(area));
  if (tells('project.')) void projects.list.refresh();
  if (tells('token.')) void tokens.list.refresh();
  if (tells('client.')) void clients.list.refresh();
  if (['settings.', 'token.', 'client.', 'project.'].some(tells)) void access.refreshSeen();
  // Each use counts; who never looked at them need not know.
  const isUse = batch.some((event) => typeof callOf(event)?.grantId === 'string');
  if ((tells('grant.') || isUse) && grants.list.value !== null) void grants.list.refresh();
  if (tells('approval.') || batch.some((event) => typeof callOf(event)?.approvalId === 'string')) void approvals.list.refresh();
  changes.follow(batch);
  search.add(batch);
}
