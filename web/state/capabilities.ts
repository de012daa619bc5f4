// What this browser can do for the console at this address. A missing function is named together with its reason (words: settings).

export const capabilityNames = ['secure', 'crypto', 'offline', 'installable', 'push', 'clipboard', 'storage'] as const;
export type CapabilityName = (typeof capabilityNames)[number];

/** The parts of a browser that are looked at. */
export interface Surroundings {
  isSecureContext: boolean;
  hasSubtleCrypto: boolean;
  hasServiceWorker: boolean;
  hasPush: boolean;
  hasClipboard: boolean;
  hasStorage: boolean;
}

export function capabilitiesOf(browser: Surroundings): Record<CapabilityName, boolean> {
  return {
    secure: browser.isSecureContext,
    crypto: browser.hasSubtleCrypto,
    offline: browser.hasServiceWorker,
    installable: browser.isSecureContext && browser.hasServiceWorker,
    push: browser.hasPush && browser.hasServiceWorker,
    clipboard: browser.hasClipboard,
    storage: browser.hasStorage,
  };
}

export const surroundings = (storage: Storage | null): Surroundings => ({
  isSecureContext: globalThis.isSecureContext,
  hasSubtleCrypto: globalThis.crypto?.subtle !== undefined,
  hasServiceWorker: 'serviceWorker' in navigator,
  hasPush: 'PushManager' in globalThis,
  hasClipboard: navigator.clipboard !== undefined,
  hasStorage: storage !== null,
});

/** Storage, unless the browser withholds it from this page. */
export function storageOf(kind: 'localStorage' | 'sessionStorage'): Storage | null {
  try {
    return globalThis[kind];
  } catch (cause) {
    if (cause instanceof DOMException) return null;
    throw cause;
  }
}
