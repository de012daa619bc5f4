// What the build puts into the page and into its worker.
declare const __DRAWBRIDGE_VERSION__: string;
declare const __DRAWBRIDGE_SHELL__: { version: string; files: string[] };
