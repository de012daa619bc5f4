// What the build puts into the page.
declare const __DRAWBRIDGE_VERSION__: string;
