// The hashes a call over several files names, looked up by path however it is spelt.
import { parseProjectPath } from '#shared/paths.ts';
import { Failed } from '../../failed.ts';

export interface Expectation {
  path: string;
  expectedHash: string;
}

/** INVALID_INPUT when one file is named twice. */
export function expectationsOf(list: readonly Expectation[]): Map<string, Expectation> {
  const named = new Map<string, Expectation>();
  for (const expectation of list) {
    const key = keyOf(expectation.path);
    if (named.has(key))
      throw new Failed('INVALID_INPUT', `expectedHashes names ${JSON.stringify(expectation.path)} twice. Nothing was changed.`);
    named.set(key, expectation);
  }
  return named;
}

/** A path that is no project path is refused later, where it is used. */
export function keyOf(path: string): string {
  const verdict = parseProjectPath(path);
  return verdict.ok ? verdict.path : path;
}
