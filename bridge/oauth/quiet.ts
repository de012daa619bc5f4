// The server's package tells its notices to the console; here they go to our log, where standard error is for what the owner must know.
import type { Log } from '../base/log.ts';

const NOTICE = /oidc-provider (NOTICE|WARNING)/;

/** While `work` runs, notices of the package are logged; every other line passes. */
export async function quietly<T>(log: Log, work: () => Promise<T>): Promise<T> {
  const { console: terminal } = globalThis;
  const before = { info: terminal.info, warn: terminal.warn };
  const heard =
    (pass: typeof terminal.info): typeof terminal.info =>
    (...words: unknown[]) =>
      NOTICE.test(String(words[0])) ? log.debug({ notice: words.map(String) }, 'authorization server') : pass.apply(terminal, words);
  Object.assign(terminal, { info: heard(before.info), warn: heard(before.warn) });
  try {
    return await work();
  } finally {
    Object.assign(terminal, before);
  }
}
