// A newer version of this page: it is fetched in the background and waits until the owner reloads. At most one reload follows.

/** Trusted Types let a worker be started only from an address that this policy made; it makes one. */
const WORKER_URL = '/sw.js';

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}
interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptUrlPolicy;
}

export class Update {
  isReady = $state(false);
  #waiting: ServiceWorker | null = null;

  /** Registers the worker where the browser has one. */
  async start(): Promise<void> {
    if (!('serviceWorker' in navigator) || !globalThis.isSecureContext) return;
    const registration = await navigator.serviceWorker.register(workerUrl(), { updateViaCache: 'none' });
    this.#look(registration);
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', () => this.#look(registration));
    });
  }

  /** Lets the waiting version take over and loads the page anew. */
  reload(): void {
    if (this.#waiting === null) return location.reload();
    navigator.serviceWorker.addEventListener('controllerchange', () => location.reload(), { once: true });
    this.#waiting.postMessage('take over');
  }

  #look({ waiting }: ServiceWorkerRegistration): void {
    // The first worker of a page has nothing to replace.
    if (waiting === null || navigator.serviceWorker.controller === null) return;
    this.#waiting = waiting;
    this.isReady = true;
  }
}

function workerUrl(): string {
  const factory = (globalThis as { trustedTypes?: PolicyFactory }).trustedTypes;
  if (factory === undefined) return WORKER_URL;
  const policy = factory.createPolicy('drawbridge-worker', {
    createScriptURL: (url) => {
      if (url !== WORKER_URL) throw new TypeError('Only the worker of this console may be started.');
      return url;
    },
  });
  return policy.createScriptURL(WORKER_URL);
}
