// What of a project could not be put back after a program ran in it, in words for the one who decides whether it runs.
import { counted } from '#shared/counted.ts';
import type { Unkept } from './compare.ts';
import type { Why } from './entry.ts';
import { grouped } from './group.ts';
import type { ManifestLimits } from './limits.ts';

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB'];
const NAMED = 3;

/** Told apart from these: what is ignored can be made again, and secrets and the repository’s own state are not a program’s to change. */
const EXPECTED: ReadonlySet<Why> = new Set(['ignored', 'secret', 'protected']);
export const isExpected = ({ why }: Unkept): boolean => EXPECTED.has(why);

/** One sentence for each reason. */
export function gapsOf(unkept: readonly Unkept[], limits: ManifestLimits): string[] {
  const gaps = grouped(
    unkept.filter((one) => !isExpected(one)),
    ({ why }) => why,
  );
  return [...gaps].map(([why, list]) => sentenceOf(why, list, limits));
}

function sentenceOf(why: Why, list: readonly Unkept[], limits: ManifestLimits): string {
  const shown = list
    .map(({ path }) => path.replace(/\/$/, ''))
    .sort()
    .slice(0, NAMED);
  const more = list.length > NAMED ? ` and ${list.length - NAMED} more` : '';
  const subject = counted(list.length, why === 'unseen' ? 'folder' : 'entry', why === 'unseen' ? 'folders' : 'entries');
  return `${subject} ${reasonOf(why, limits)}, so a change there could not be undone: ${shown.join(', ')}${more}.`;
}

/** 128 MiB, 1.5 GiB. */
function sized(bytes: number): string {
  let [size, unit] = [bytes, 0];
  for (; size >= 1024 && unit + 1 < UNITS.length; unit += 1) size /= 1024;
  return `${Math.round(size * 10) / 10} ${UNITS[unit] ?? ''}`;
}

function reasonOf(why: Why, limits: ManifestLimits): string {
  switch (why) {
    case 'too_large':
      return `beyond what is kept (${sized(limits.fileBytes)} a file, ${sized(limits.bytes)} in all)`;
    case 'hard_link':
      return 'with a second name, by which the bytes may be those of something outside the project';
    case 'special':
      return 'that are no files (devices, pipes, sockets)';
    case 'name':
      return 'with a name that no call can give';
    case 'unseen':
      return 'not looked at whole, because a limit was reached or they cannot be read';
    case 'busy':
      return 'written to just now by something else';
    case 'unreadable':
    case 'ignored':
    case 'secret':
    case 'protected':
      return 'that cannot be read';
  }
}
