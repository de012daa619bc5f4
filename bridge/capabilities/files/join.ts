// One answer of a search in several projects: what each found in turn, up to the number that was asked for, and the sums.
import type { Part, Outcome } from '../../operation.ts';
import type { SearchData, SearchInput } from './search.ts';

type Found = Part & { data: SearchData };
type Skipped = SearchData['skipped'];

/** Every project gives one after the other, so that the first one does not fill the answer alone. */
export function joinSearches(parts: readonly Part[], raw: Record<string, unknown>): Outcome {
  const { maxResults } = raw as SearchInput;
  const found = parts.map((part): Found => ({ ...part, data: part.outcome.data as SearchData }));
  const matches = dealt(found, maxResults, ({ data }) => data.matches);
  const files = dealt(found, maxResults, ({ data }) => data.files);
  const all = found.flatMap(({ data }) => [...data.matches, ...data.files]).length;
  const data: SearchData = {
    outcome: outcomeOf(found),
    ...{ matches, files },
    totalMatches: sum(found.map(({ data: { totalMatches } }) => totalMatches)),
    totalIsComplete: found.every(({ data: { totalIsComplete } }) => totalIsComplete),
    engine: [...new Set(found.map(({ data: { engine } }) => engine))].join(', '),
    mode: (raw as SearchInput).mode,
    filesSearched: sum(found.map(({ data: { filesSearched } }) => filesSearched)),
    skipped: found.map(({ data: { skipped } }) => skipped).reduce(added),
    projects: found.map(({ project, data: { totalMatches } }) => ({ ...project, totalMatches })),
  };
  return {
    data,
    warnings: found.flatMap(({ project, outcome }) => (outcome.warnings ?? []).map((warning) => `${project.name}: ${warning}`)),
    truncated: matches.length + files.length < all || found.some(({ outcome }) => outcome.truncated === true),
    brief: `“${(raw as SearchInput).query}”: ${data.totalMatches} in ${found.length} projects`,
  };
}

const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);

const added = (a: Skipped, b: Skipped): Skipped =>
  Object.fromEntries(Object.entries(a).map(([reason, count]) => [reason, count + b[reason as keyof Skipped]])) as Skipped;

/** What was left undone in one project is left undone in the whole. */
function outcomeOf(found: readonly Found[]): SearchData['outcome'] {
  const outcomes = found.map(({ data }) => data.outcome);
  const worst = (['incomplete', 'not_searched'] as const).find((one) => outcomes.includes(one));
  if (outcomes.includes('matches')) return 'matches';
  return worst === undefined ? 'no_match' : 'incomplete';
}

/** At most `max` of them, dealt in rounds, then in the order of the projects again; each says whose it is. */
function dealt<One extends object>(
  found: readonly Found[],
  max: number,
  of: (one: Found) => readonly One[],
): (One & { projectId: string })[] {
  const lists = found.map((one) => of(one).map((item) => ({ ...item, projectId: one.project.projectId })));
  const taken = lists.map(() => 0);
  for (let left = max, isAny = true; left > 0 && isAny;) {
    isAny = false;
    for (const [at, list] of lists.entries()) {
      if (left === 0 || (taken[at] ?? 0) >= list.length) continue;
      taken[at] = (taken[at] ?? 0) + 1;
      left -= 1;
      isAny = true;
    }
  }
  return lists.flatMap((list, at) => list.slice(0, taken[at]));
}
