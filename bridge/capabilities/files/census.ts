// Everything in a project by name: what may be kept of it, and what is left out and why. A look at the disk proves each again.
import type { Rules } from './ignoring.ts';
import { isIgnored } from './ignoring.ts';
import type { LeftOut } from './listing.ts';
import type { Survey } from './walk.ts';

export interface Census {
  files: string[];
  folders: string[];
  links: string[];
  /** A folder among them is not looked into. */
  leftOut: LeftOut[];
  /** Folders of which not all is known, because a limit was reached or they cannot be read. */
  unseen: string[];
  warnings: string[];
}

export function censusOf(survey: Survey): Census {
  const census: Census = { files: survey.files.map(({ path }) => path), folders: survey.folders, links: [], leftOut: [], ...told(survey) };
  for (const { listing, ignored, rules } of survey.shelves) {
    census.leftOut.push(...listing.leftOut, ...ignored);
    for (const path of listing.links) sortLink(census, rules, path);
  }
  return census;
}

const told = ({ unseen, warnings }: Survey): Pick<Census, 'unseen' | 'warnings'> => ({ unseen, warnings: [...new Set(warnings)] });

/** An ignore rule that ends in a slash is about folders alone; a link is none. */
function sortLink(census: Census, rules: Rules | null, path: string): void {
  if (isIgnored(rules, path, false)) census.leftOut.push({ path, why: 'ignored', isFolder: false });
  else census.links.push(path);
}
