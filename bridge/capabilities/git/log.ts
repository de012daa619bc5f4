// The commits of a repository, out of what git prints for programs: four lines each, ended by NUL.
import type { GitCommit } from '#shared/contracts/git.ts';

/** Nothing in it can run a program: no signature is checked and no name is mapped. */
export const LOG_FORMAT = '--format=%H%n%an%n%aI%n%s';

const SUBJECT_MAX = 300;

/** `text` is what `git log -z` prints in that format. An incomplete record at its end is left out. */
export function parseLog(text: string): GitCommit[] {
  return text
    .split('\0')
    .filter((record) => record !== '')
    .map((record): GitCommit => {
      const [sha = '', author = '', date, ...subject] = record.split('\n');
      if (date === undefined || !/^[0-9a-f]{40,64}$/.test(sha)) throw new Error('git log printed a record of an unknown form.');
      return { sha, author: author.slice(0, SUBJECT_MAX), date, subject: cut(subject.join(' ')) };
    });
}

/** Never half of a character. */
function cut(text: string): string {
  const short = text.slice(0, SUBJECT_MAX);
  return /[\ud800-\udbff]$/.test(short) ? short.slice(0, -1) : short;
}
