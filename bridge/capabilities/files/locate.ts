// From a caller's words to one entry on disk: path rules, then policy, then the disk, then policy on what the disk made of it.
import { readdirSync } from 'node:fs';
import { parseProjectPath, windowsPath } from '#shared/paths.ts';
import { openFolderSync } from '../../base/fs/folder.ts';
import { resolveInside, type Located } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';
import { layerOf } from './policy.ts';

export type Purpose = 'read' | 'write';

/** Throws PATH_DENIED or SECRET_PATH_DENIED. A missing entry is an answer (`absent`), not a failure. */
export async function locate(root: string, raw: string, purpose: Purpose): Promise<Located> {
  const path = spelledWell(root, raw, purpose);
  refuseByPolicy(path, purpose);
  const located = await resolveInside(root, path);
  if (located.relative !== path) refuseByPolicy(located.relative, purpose);
  return located;
}

const untouched: Record<Purpose, string> = { read: 'Nothing was read.', write: 'Nothing was changed.' };

function spelledWell(root: string, raw: string, purpose: Purpose): string {
  const verdict = parseProjectPath(raw);
  // On Windows one more reading: a name that the disk would take for another file or for a device is refused.
  const platform = verdict.ok && process.platform === 'win32' ? windowsPath(root, verdict.path) : verdict;
  if (verdict.ok && platform.ok) return verdict.path;
  const recovery = platform.ok ? '' : platform.hint;
  throw new Failed('PATH_DENIED', `This path is not one inside the project. ${untouched[purpose]}`, { recovery });
}

function refuseByPolicy(path: string, purpose: Purpose): void {
  const layer = layerOf(path);
  if (layer === 'secret')
    throw new Failed('SECRET_PATH_DENIED', `This path is on the list of secrets, which no tool reads or changes. ${untouched[purpose]}`);
  if (layer === 'protected')
    throw new Failed(
      'PATH_DENIED',
      `This path is the repository’s own state (.git), which no tool touches directly. ${untouched[purpose]}`,
    );
}

/** NOT_FOUND for what is not there, with the one neighbour whose name only looks the same. It is offered, never used. */
export function notFound(root: string, path: string): Failed {
  const didYouMean = neighbourOf(root, path);
  return new Failed('NOT_FOUND', `There is no file ${JSON.stringify(path)} in the project.`, {
    ...(didYouMean === null
      ? {}
      : { recovery: 'A name that looks the same but has other bytes is there: see didYouMean.', detail: { didYouMean } }),
  });
}

const NEIGHBOURS_MAX = 10_000;

function neighbourOf(root: string, path: string): string | null {
  let found = '.';
  for (const name of path.split('/')) {
    const names = namesIn(root, found);
    const wanted = folded(name);
    const alike = names.includes(name) ? [name] : names.filter((other) => folded(other) === wanted);
    const [only] = alike;
    if (alike.length !== 1 || only === undefined) return null;
    found = found === '.' ? only : `${found}/${only}`;
  }
  return found !== path && layerOf(found) === null ? found : null;
}

/** Empty for what cannot be listed: a hint is worth no failure of its own. */
function namesIn(root: string, folder: string): string[] {
  if (layerOf(folder) !== null) return [];
  try {
    const held = openFolderSync(root, folder);
    try {
      return readdirSync(held.path).slice(0, NEIGHBOURS_MAX);
    } finally {
      held.close();
    }
  } catch (error) {
    if (error instanceof Failed) return [];
    throw error;
  }
}

/** One form for names that read the same: composed characters, and every kind of space as a plain one. */
const folded = (name: string) => name.normalize('NFC').replace(/[\s\u00a0\u202f\u2007\u2060\u200b\ufeff]+/gu, ' ');
