// A newer version of this page: it is fetched in the background and waits until the owner reloads. At most one reload follows.

const WORKER_URL = '/sw.js';
/** Trusted Types let a worker be started only from an address that this policy made; it makes one. */
const POLICY = 'drawbridge-worker';

interface ScriptUrlPolicy {
  createScriptURL(url: string): string;
}
interface PolicyFactory {
  createPolicy(name: string, rules: { createScriptURL: (url: string) => string }): ScriptUrlPolicy;
}

export class Update {
  isReady = $state(false);
  #registration: ServiceWorkerRegistration | null = null;
  #waiting: ServiceWorker | null = null;

  /** Registers the worker where the browser has one. One that is there already needs no leave. */
  async start(): Promise<void> {
    if (!('serviceWorker' in navigator) || !globalThis.isSecureContext) return;
    const known = await navigator.serviceWorker.getRegistration();
    if (known === undefined && !(await isAllowed())) return;
    const registration = known ?? (await navigator.serviceWorker.register(workerUrl(), { updateViaCache: 'none' }));
    this.#registration = registration;
    this.#look(registration);
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', () => this.#look(registration));
    });
  }

  /** Asks the bridge for a newer version of the page. */
  async check(): Promise<void> {
    try {
      await this.#registration?.update();
    } catch (cause) {
      // The bridge went away meanwhile; the next hello asks again.
      if (!(cause instanceof TypeError || cause instanceof DOMException)) throw cause;
    }
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
  const policy = factory.createPolicy(POLICY, {
    createScriptURL: (url) => {
      if (url !== WORKER_URL) throw new TypeError('Only the worker of this console may be started.');
      return url;
    },
  });
  return policy.createScriptURL(WORKER_URL);
}

/** Whether the content policy of this page names ours. Trying without would be a violation that the owner reads about. */
async function isAllowed(): Promise<boolean> {
  if (!('trustedTypes' in globalThis)) return true;
  try {
    const policy = (await fetch(`${location.origin}/`, { method: 'HEAD' })).headers.get('content-security-policy');
    return policy === null || !policy.includes('trusted-types ') || policy.includes(POLICY);
  } catch (cause) {
    if (cause instanceof TypeError) return false;
    throw cause;
  }
}
