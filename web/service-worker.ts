// The service worker: keeps this build of the page, so that it opens without the bridge. A newer build waits until the owner says so.
import { cacheName, outdated, sourceOf, type Shell } from './shell-cache.ts';

/** The parts of a worker's surroundings that are used; the page's own types know none of them. */
interface Worker {
  addEventListener(type: 'install' | 'activate', listener: (event: { waitUntil(work: Promise<unknown>): void }) => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'fetch', listener: (event: { request: Request; respondWith(answer: Promise<Response>): void }) => void): void;
  skipWaiting(): Promise<void>;
  location: { origin: string };
  caches: CacheStorage;
}

const worker = globalThis as unknown as Worker;
const shell = __DRAWBRIDGE_SHELL__ as Shell;

worker.addEventListener('install', (event) => event.waitUntil(keep()));
worker.addEventListener('activate', (event) => event.waitUntil(forgetOthers()));
worker.addEventListener('message', ({ data }) => {
  if (data === 'take over') void worker.skipWaiting();
});
worker.addEventListener('fetch', (event) => {
  const { request } = event;
  const asked = { method: request.method, url: request.url, isNavigation: request.mode === 'navigate' };
  const source = sourceOf(asked, worker.location.origin, shell);
  if (source === 'network-first') event.respondWith(page(request));
  else if (source === 'cache-first') event.respondWith(file(request));
});

async function keep(): Promise<void> {
  const cache = await worker.caches.open(cacheName(shell));
  await cache.addAll(shell.files.map((path) => new Request(path, { cache: 'reload' })));
}

async function forgetOthers(): Promise<void> {
  await Promise.all(outdated(await worker.caches.keys(), shell).map((name) => worker.caches.delete(name)));
}

async function page(request: Request): Promise<Response> {
  try {
    return await fetch(request);
  } catch (cause) {
    const kept = await keptAt('/');
    if (kept === undefined) throw cause;
    return kept;
  }
}

async function file(request: Request): Promise<Response> {
  return (await keptAt(new URL(request.url).pathname)) ?? fetch(request);
}

const keptAt = async (path: string): Promise<Response | undefined> => (await worker.caches.open(cacheName(shell))).match(path);
