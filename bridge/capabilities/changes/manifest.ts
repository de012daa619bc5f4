// What of a package.json later runs by itself: only a change of that needs the owner, not one of a dependency or a version.
import { splitPath } from './step.ts';

/** Keys whose values are commands, or decide whose commands run. */
const POWERFUL_KEYS = [
  'scripts',
  'packageManager',
  'devEngines',
  'husky',
  'lint-staged',
  'nano-staged',
  'simple-git-hooks',
  'pre-commit',
  'pre-push',
  'gitHooks',
  'ghooks',
  'allowScripts',
  'trustedDependencies',
] as const;

/** Folded as the most forgiving disk would. */
export const isManifest = (path: string): boolean => splitPath(path).name.normalize('NFKC').toLowerCase() === 'package.json';

/** In plain words, what that runs by itself is changed; null when nothing is. Bytes that cannot be read might change anything. */
export function manifestReason(before: Buffer | null, after: Buffer | null): string | null {
  const [old, fresh] = [keysOf(before), keysOf(after)];
  if (old === null || fresh === null) return 'it cannot be read as JSON, so a change of its scripts cannot be ruled out';
  const changed = POWERFUL_KEYS.filter((key) => JSON.stringify(old[key]) !== JSON.stringify(fresh[key]));
  return changed.length === 0 ? null : `what it runs is changed (${changed.join(', ')})`;
}

/** null when it is no JSON object. A missing file has no keys. */
function keysOf(bytes: Buffer | null): Record<string, unknown> | null {
  if (bytes === null) return {};
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
