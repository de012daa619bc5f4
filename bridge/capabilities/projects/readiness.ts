// Whether a registered directory can be used now, and the words for why not. Looked at afresh for every call.
import type { Readiness } from '#shared/contracts/projects.ts';
import { Failed } from '../../failed.ts';
import { glance, isSameDirectory, sight, type Identity } from './identity.ts';
import { identityOf, type ProjectRow } from './rows.ts';

const words: Record<Exclude<Readiness, 'ready'>, string> = {
  missing: 'its directory is gone',
  symlinked: 'a link stands where a directory should be',
  replaced: 'another directory stands where it was',
  inaccessible: 'its directory cannot be opened',
  invalid: 'it is no directory',
  removed: 'the owner removed it',
};

/** The directory's identity decides: a parent that was swapped leads to another one. */
export function readinessOf(row: ProjectRow): Readiness {
  if (row.removed_at !== null) return 'removed';
  const seen = glance(row.root);
  if ('readiness' in seen) return seen.readiness;
  return isSameDirectory(seen.identity, identityOf(row)) ? 'ready' : 'replaced';
}

/** Throws with the project's name and the reason; the path of the directory is the owner's alone. */
export function requireReady(row: ProjectRow): void {
  const readiness = readinessOf(row);
  if (readiness === 'ready') return;
  const code = readiness === 'missing' || readiness === 'removed' ? 'NOT_FOUND' : 'PATH_DENIED';
  throw new Failed(code, `The project ${row.name} cannot be used: ${words[readiness]}. Nothing was done.`, {
    recovery: 'The owner adds the directory again in the console.',
    detail: { readiness },
  });
}

/** The directory at a path that the owner wants to add. */
export async function requireDirectory(path: string): Promise<{ identity: Identity; root: string }> {
  const seen = await sight(path);
  if ('identity' in seen) return seen;
  const isMissing = seen.readiness === 'missing';
  throw new Failed(
    isMissing ? 'NOT_FOUND' : 'PATH_DENIED',
    `This folder was not added: ${isMissing ? 'there is no such directory' : words[seen.readiness]}.`,
  );
}
