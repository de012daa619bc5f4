// What the project's own ignore files leave out of listings: a chain of rules, the deepest deciding first, as git does it.
import createIgnore, { type Ignore } from 'ignore';
import { isOrdinaryIgnored } from './policy.ts';

export const IGNORE_FILES = ['.gitignore', '.dodoignore'] as const;

export interface Rules {
  /** The directory the patterns are relative to. */
  folder: string;
  text: string;
  matcher: Ignore;
  /** The rules of the directories above. */
  above: Rules | null;
}

/** The chain with one more directory's patterns; `text` holds its ignore files one after the other. */
export function withRules(above: Rules | null, folder: string, text: string): Rules {
  return { folder, text, matcher: createIgnore({ ignorecase: process.platform !== 'linux' }).add(text), above };
}

/** Whether an entry of a visited directory is left out. A negative pattern (`!build`) also lifts the built-in list. */
export function isIgnored(rules: Rules | null, path: string, isDirectory: boolean): boolean {
  const verdict = verdictOf(rules, path, isDirectory);
  return verdict === 'ignored' || (verdict === null && isOrdinaryIgnored(path.slice(path.lastIndexOf('/') + 1)));
}

/**
 * The chain for what is inside `folder`, which is visited. Rules that would leave the folder itself out, and were
 * overruled by a deeper file, must not leave out its content by way of it: they get the folder back explicitly.
 */
export function rulesInside(rules: Rules | null, folder: string): Rules | null {
  if (rules === null) return null;
  const above = rulesInside(rules.above, folder);
  const result = rules.matcher.test(`${below(rules.folder, folder)}/`);
  if (result.ignored) return withRules(above, rules.folder, `${rules.text}\n!/${escaped(below(rules.folder, folder))}/`);
  return above === rules.above ? rules : { ...rules, above };
}

function verdictOf(rules: Rules | null, path: string, isDirectory: boolean): 'ignored' | 'kept' | null {
  for (let link = rules; link !== null; link = link.above) {
    const relative = below(link.folder, path);
    const result = link.matcher.test(isDirectory ? `${relative}/` : relative);
    if (result.ignored) return 'ignored';
    if (result.unignored) return 'kept';
  }
  return null;
}

const below = (folder: string, path: string) => (folder === '.' ? path : path.slice(folder.length + 1));
const escaped = (path: string) => path.replace(/[\\*?[\]!# ]/g, '\\$&');
