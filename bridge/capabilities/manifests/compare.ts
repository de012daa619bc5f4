// What a program did: the difference of two manifests without what the journal did itself in between, as the steps of one change.
import { isLate, step, type Side, type Step, type Trace } from '../changes/service.ts';
import type { Entry, Kept, Why } from './entry.ts';
import { grouped } from './group.ts';
import { inside } from './sight.ts';

export interface Unkept {
  path: string;
  why: Why;
}

export interface Compared {
  /** In the order in which they could have been done. */
  steps: Step[];
  /** What changed and cannot be put back. */
  unkept: Unkept[];
  warnings: string[];
}

export interface Comparison {
  /** What an earlier manifest and the newest have at a path. */
  was(path: string): Entry | undefined;
  is(path: string): Entry | undefined;
  /** Paths at which the two differ. */
  paths: readonly string[];
  /** What committed changes of the journal did since the earlier one, in order. */
  traces: readonly Trace[];
  hasImage(hash: string): boolean;
}

export function compare(comparison: Comparison): Compared {
  const compared: Compared = { steps: [], unkept: [], warnings: [] };
  const traces = grouped(comparison.traces, ({ path }) => path);
  for (const path of new Set([...comparison.paths, ...traces.keys()]))
    comparePath(comparison, compared, { path, traces: traces.get(path) ?? [] });
  return { ...compared, steps: ordered(compared.steps), unkept: distinct(compared.unkept) };
}

/** Folders before what is in them, and those that go after it. */
function ordered(steps: readonly Step[]): Step[] {
  const byPath = steps.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return [...byPath.filter((made) => !isLate(made)), ...byPath.filter(isLate).reverse()];
}

const distinct = (list: readonly Unkept[]): Unkept[] =>
  [...new Map(list.map((one) => [one.path, one])).values()].sort((a, b) => (a.path < b.path ? -1 : 1));

/** The folder itself, for what is in it. */
const shown = (path: string): string => path.replace(/\/$/, '');

function comparePath(comparison: Comparison, compared: Compared, at: { path: string; traces: readonly Trace[] }): void {
  const { path } = at;
  const [was, is] = [comparison.was(path), comparison.is(path)];
  // What was not looked into before, or is not now, cannot be told from what was made or taken away.
  if ((was === undefined && isHidden(comparison.was, path)) || (is === undefined && isHidden(comparison.is, path))) return;
  if (was?.kind === 'blind' || is?.kind === 'blind') return compareBlind(compared, path, { was, is });
  const from = fromOf(compared, at, { was, is });
  const to = sideOf(is);
  if (isSame(from, to)) return;
  const isKnown = (side: Side) => side.kind === null || side.kind === 'directory' || side.hash !== null;
  const isKept = from.hash === null || comparison.hasImage(from.hash);
  if (!isKnown(from) || !isKnown(to) || !isKept) compared.unkept.push({ path, why: 'too_large' });
  else compared.steps.push(stepFor(path, from, to));
}

function compareBlind(compared: Compared, path: string, { was, is }: { was: Entry | undefined; is: Entry | undefined }): void {
  const why = is?.kind === 'blind' ? is.why : was?.kind === 'blind' ? was.why : 'special';
  if (was?.kind === 'blind' && is?.kind === 'blind' && was.skim === is.skim && was.skim !== '') return;
  if (why === 'unseen' && path.endsWith('/')) return;
  compared.unkept.push({ path: shown(path), why });
  // A device in the place of a file: the file is gone, and can come back once the place is free.
  if (was !== undefined && was.kind !== 'blind' && was.kind !== 'directory' && was.hash !== null && why === 'special')
    compared.steps.push(stepFor(path, sideOf(was), NOTHING));
}

function isHidden(at: Comparison['was'], path: string): boolean {
  if (at('./') !== undefined) return true;
  for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
    const folder = path.slice(0, cut);
    if (at(folder)?.kind === 'blind' || at(inside(folder)) !== undefined) return true;
  }
  return false;
}

const NOTHING: Side = { kind: null, hash: null, meta: null };
const sideOf = (entry: Kept | undefined): Side =>
  entry === undefined ? NOTHING : { kind: entry.kind, hash: entry.hash, meta: entry.kind === 'link' ? null : entry.meta };

/** What the journal last left there, where it came in between; a mode that it did not set is the one from before. */
function fromOf(
  compared: Compared,
  { path, traces }: { path: string; traces: readonly Trace[] },
  { was, is }: { was: Kept | undefined; is: Kept | undefined },
): Side {
  const before = sideOf(was);
  const [first] = traces;
  const last = traces.at(-1);
  if (first === undefined || last === undefined) return before;
  if (first.before.kind !== before.kind || first.before.hash !== before.hash)
    compared.warnings.push(
      `${JSON.stringify(path)} was changed by this program and then by ${first.changesetId}; the program’s part of it is not taken back alone.`,
    );
  const { kind, hash, meta } = last.after;
  const ofKind = [before, last.before, sideOf(is)].find((side) => side.kind === kind && side.meta !== null);
  return { kind, hash, meta: meta ?? ofKind?.meta ?? null };
}

function isSame(a: Side, b: Side): boolean {
  if (a.kind !== b.kind || a.hash !== b.hash) return false;
  if (a.kind === null || a.kind === 'link' || a.meta === null || b.meta === null) return true;
  return a.meta.mode === b.meta.mode && JSON.stringify(a.meta.xattrs) === JSON.stringify(b.meta.xattrs);
}

function stepFor(path: string, from: Side, to: Side): Step {
  const image = ({ hash }: Side) => (hash === null ? null : { hash, size: 0, bytes: null });
  const sides = {
    path,
    ...{ before: image(from), beforeKind: from.kind, beforeMeta: from.meta },
    ...{ after: image(to), afterKind: to.kind, afterMeta: to.meta },
  };
  if (from.kind !== null && to.kind !== null) return step({ action: 'replace', ...sides });
  if (from.kind !== null) return step({ action: from.kind === 'directory' ? 'rmdir' : 'delete', ...sides });
  return step({ action: to.kind === 'directory' ? 'mkdir' : 'create', ...sides });
}
