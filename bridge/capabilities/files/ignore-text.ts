// The text of one directory's ignore files, bounded in size and number; one that is not applied is named in a warning.
import { openRegularSync, readWhole } from '../../base/fs/read.ts';
import { resolveInside } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';
import { IGNORE_FILES } from './ignoring.ts';
import type { FileEntry } from './listing.ts';

const FILE_BYTES = 256 * 1024;
const FILES_MAX = 200;

interface Progress {
  root: string;
  /** How many were met on this walk so far. */
  ignoreFiles: number;
}

/** One after the other, in the order in which later lines overrule earlier ones. */
export async function ignoreText(progress: Progress, files: readonly FileEntry[], warnings: string[]): Promise<string> {
  const texts: string[] = [];
  for (const name of IGNORE_FILES) {
    const entry = files.find((file) => file.path.endsWith(name));
    if (entry === undefined) continue;
    progress.ignoreFiles += 1;
    if (progress.ignoreFiles > FILES_MAX) warnings.push(`${entry.path} was not applied: more than ${FILES_MAX} ignore files.`);
    else if (entry.size > FILE_BYTES) warnings.push(`${entry.path} was not applied: it is larger than ${FILE_BYTES / 1024} KiB.`);
    else texts.push(await readIgnoreFile(progress.root, entry, warnings));
  }
  return texts.join('\n');
}

async function readIgnoreFile(root: string, entry: FileEntry, warnings: string[]): Promise<string> {
  try {
    const file = openRegularSync(root, await resolveInside(root, entry.path));
    try {
      return (await readWhole(file)).toString('utf8');
    } finally {
      file.close();
    }
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    warnings.push(`${entry.path} was not applied: it cannot be read.`);
    return '';
  }
}
