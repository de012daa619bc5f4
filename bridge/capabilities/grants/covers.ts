// Whether a grant covers a call: pure, on canonical values and whole components. What cannot be told is not covered.
import { canonicalJson } from '#shared/canonical.ts';
import type { ArgumentPattern, GrantScope } from '#shared/contracts/grants.ts';
import { parseProjectPath } from '#shared/paths.ts';
import type { Touches } from '../../operation.ts';

/** A question for the owner as a grant sees it. */
export interface Question {
  operation: string;
  arguments: Record<string, unknown>;
  reasons: readonly string[];
  /** null: the operation could not say. */
  touches: Touches | null;
}

export type Covering = GrantScope & { reasons: readonly string[] | null };

/** Every part must fit at once. A part that the grant leaves out covers only calls that have no such part. */
export function covers(grant: Covering, question: Question): boolean {
  if (grant.operation !== question.operation) return false;
  if (grant.reasons !== null && !question.reasons.every((reason) => grant.reasons?.includes(reason))) return false;
  if (!grant.arguments.every((pattern) => fits(pattern, question.arguments))) return false;
  const { touches } = question;
  if (touches === null) return pinsAll(grant, question.arguments);
  // Who sees the project's bytes is the owner's choice for each profile, and no standing answer stands for it.
  if (touches.profile !== undefined) return false;
  return (
    grant.program === (touches.program ?? null) &&
    grant.host === (touches.host === undefined ? null : canonicalHost(touches.host)) &&
    (grant.paths.length === 0) === (touches.paths.length === 0) &&
    touches.paths.every((path) => grant.paths.some((prefix) => isWithin(prefix, path))) &&
    (touches.folders ?? []).every((folder) => grant.paths.some((path) => isWithin(path, folder) || isWithin(folder, path)))
  );
}

/** A call whose reach is not known is covered only with every argument fixed, and by a grant that claims no reach either. */
function pinsAll({ arguments: patterns, paths, program, host }: Covering, given: Record<string, unknown>): boolean {
  const pinned = new Set(patterns.flatMap((pattern) => ('equals' in pattern ? [pattern.name] : [])));
  return paths.length === 0 && program === null && host === null && Object.keys(given).every((name) => pinned.has(name));
}

function fits(pattern: ArgumentPattern, given: Record<string, unknown>): boolean {
  if (!Object.hasOwn(given, pattern.name)) return false;
  const value = given[pattern.name];
  if ('equals' in pattern) return canonicalJson(value) === canonicalJson(pattern.equals);
  if (!Array.isArray(value) || value.length < pattern.startsWith.length) return false;
  return pattern.startsWith.every((element, at) => canonicalJson(element) === canonicalJson(value[at]));
}

/** Whether `path` is `prefix` or lies below it, name by name. Both must be written canonically. */
export function isWithin(prefix: string, path: string): boolean {
  if (!isCanonicalPath(prefix) || !isCanonicalPath(path)) return false;
  return prefix === '.' || path === prefix || path.startsWith(`${prefix}/`);
}

export function isCanonicalPath(path: string): boolean {
  const verdict = parseProjectPath(path);
  return verdict.ok && verdict.path === path;
}

/** One spelling a host: case and a final dot do not make another one. */
export const canonicalHost = (host: string): string => host.toLowerCase().replace(/\.(?=$|:\d+$)/, '');

/**
 * The grant that an answer "for a while" makes: what was asked and no more. A folder that is made on the way is the way to its
 * files, and no leave for what else may lie in it. Files are named by path, since their content is
 * what the next call changes; anything that runs a program or leaves the machine is fixed to its exact arguments.
 */
export function scopeOf({ operation, arguments: given, touches }: Question): GrantScope {
  const isOfFiles = touches !== null && touches.paths.length > 0 && touches.program === undefined && touches.host === undefined;
  const exact = Object.entries(given).map(([name, value]) => ({ name, equals: value }) as ArgumentPattern);
  return {
    operation,
    arguments: isOfFiles ? [] : exact,
    paths: [...(touches?.paths ?? [])],
    program: touches?.program ?? null,
    host: touches?.host === undefined ? null : canonicalHost(touches.host),
  };
}
