// The version this page was built with; the bridge tells its own on every hello, and the two are compared.
export const version: string = __DRAWBRIDGE_VERSION__;
