// A read in other projects than the one a call is in: rights in all of them first, then one call each, on the account of its own project.
import type { Envelope } from '#shared/envelope.ts';
import { PROJECTS_MAX } from '#shared/envelope.ts';
import { ProjectId } from '#shared/ids.ts';
import { z } from 'zod';
import { Failed } from '../failed.ts';
import type { Outcome, Part, ProjectHandle } from '../operation.ts';
import type { Answer, Invocation, InvokerParts, Invoke, Progress } from './progress.ts';
import { requireProjectAccess, requireScope } from './rights.ts';

const Ids = z.array(ProjectId).min(1).max(PROJECTS_MAX);

/** Codes that say something of the caller and not of the project: one of them refuses the call whole. */
const ofTheCaller: ReadonlySet<string> = new Set(['AUTH_REQUIRED', 'FORBIDDEN', 'WORKSPACE_ACCESS_REQUIRED']);

/** The projects that the call names, each once, or null when it reads in its own. Throws INVALID_INPUT when that cannot be told. */
export function placesOf({ context }: Invocation, { contract, name }: Progress['operation']): string[] | null {
  const { projectId, projectIds, targetProjectId } = context;
  if (projectId === undefined && projectIds === undefined) return null;
  const takes = projectIds === undefined ? contract.elsewhere !== undefined : contract.elsewhere === 'several';
  if (!takes) throw invalid(`${name} does not read in ${projectIds === undefined ? 'another project' : 'several projects'}.`);
  if ([projectId, projectIds, targetProjectId].filter((one) => one !== undefined).length > 1)
    throw invalid('It is ambiguous which project is meant: send one of targetProjectId, projectId and projectIds.');
  const ids = Ids.safeParse(projectIds ?? [projectId]);
  if (!ids.success) throw invalid(`projectId is the id of a project, and projectIds holds 1 to ${PROJECTS_MAX} of them.`);
  return [...new Set(ids.data)];
}

const invalid = (message: string): Failed => new Failed('INVALID_INPUT', `${message} Nothing was done.`);

interface Elsewhere {
  invocation: Invocation;
  progress: Progress;
  places: readonly string[];
  /** Runs one call through the whole pipeline. */
  invoke: Invoke;
}

/** Throws when the caller may not read in one of them, before anything is read in any. A project that cannot be opened is named. */
export async function readElsewhere(parts: InvokerParts, { invocation, progress, places, invoke }: Elsewhere): Promise<Outcome> {
  const isJoined = invocation.context.projectIds !== undefined;
  if (isJoined && progress.input['cursor'] !== undefined)
    throw invalid('A cursor goes on with the answer of one project: send its projectId.');
  const opened = await Promise.all(places.map((projectId) => open(parts, { invocation, progress, projectId })));
  const answers = await Promise.all(opened.map((one) => ('failed' in one ? one : ask(invoke, invocation, one))));
  const failures = answers.flatMap((one) => ('failed' in one ? [one] : []));
  const refusing = failures.find(({ failed }) => ofTheCaller.has(failed.code)) ?? (failures.length === answers.length ? failures[0] : null);
  if (refusing) throw refusing.failed;
  const read = answers.flatMap((one) => ('failed' in one ? [] : [one]));
  if (!isJoined) return ofOne(read[0] as Part);
  const { join } = progress.operation;
  if (join === undefined) throw new Error(`${progress.operation.name} reads in several projects and joins nothing.`);
  const joined = join(read, progress.input);
  const unread = failures.map(({ projectId, failed }) => ({ projectId, code: failed.code, message: failed.message }));
  return { ...joined, refused: unread.length, data: { ...joined.data, failures: unread } };
}

interface Unopened {
  projectId: string;
  failed: Failed;
}

async function open(
  parts: InvokerParts,
  { invocation, progress, projectId }: { invocation: Invocation; progress: Progress; projectId: string },
): Promise<ProjectHandle | Unopened> {
  const caller = parts.policy.narrow(invocation.caller(), null);
  try {
    const project = await parts.projects.choose({ targetProjectId: projectId }, caller, null);
    if (project === null) throw new Error('A named project was chosen as none.');
    requireProjectAccess(caller, project);
    requireScope(parts.policy.narrow(caller, project), progress.operation.name, progress.operation.contract);
    return project;
  } catch (error) {
    if (!(error instanceof Failed) || ofTheCaller.has(error.code)) throw error;
    return { projectId, failed: error };
  }
}

async function ask(invoke: Invoke, invocation: Invocation, project: ProjectHandle): Promise<Part | Unopened> {
  const { projectId, name, workspaceId, epoch } = project;
  const context = { targetProjectId: projectId, workspaceId, workspaceEpoch: epoch };
  const via = invocation.context.projectIds === undefined ? 'projectId' : 'projectIds';
  const answer = await invoke({ ...invocation, context, via });
  const { error } = answer.envelope;
  if (error !== null) return { projectId, failed: new Failed(error.code, error.message, error) };
  return { project: { projectId, name }, outcome: outcomeOf(answer) };
}

const outcomeOf = ({ envelope, images }: Answer): Outcome => ({
  data: dataOf(envelope),
  warnings: envelope.warnings,
  truncated: envelope.truncated,
  ...(envelope.nextCursor === null ? {} : { nextCursor: envelope.nextCursor }),
  ...(images.length === 0 ? {} : { images }),
});

function dataOf({ data }: Envelope): Record<string, unknown> {
  if (data === null) throw new Error('A call that went well has no answer.');
  return data;
}

/** An operation whose answer says of itself which project it is keeps its own words. */
const ofOne = ({ project, outcome }: Part): Outcome => ({
  ...outcome,
  data: { project, ...outcome.data },
  brief: `in ${project.name}`,
});
