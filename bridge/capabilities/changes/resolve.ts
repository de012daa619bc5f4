// From what a call wants to the steps that do it: every path allowed, every file read and proven to be the expected one, none touched twice.
import type { Blobs } from '../../base/blobs/blobs.ts';
import { resolveInside, type Located } from '../../base/fs/root.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';
import type { Draft } from './draft.ts';
import { expectFile, fileChanged, requireRoom, requireSize, type Seen } from './expect.ts';
import { createJudge } from './loss.ts';
import { imageOf, isUndoable, splitPath, step, type Image, type Step } from './step.ts';
import { createTouched, type Touched } from './touched.ts';

export interface Resolved {
  /** In the order in which they are carried out; folders before what goes into them. */
  steps: Step[];
  /** One for each draft, in order. */
  outcomes: DraftOutcome[];
}

export interface DraftOutcome {
  path: string;
  destPath: string | null;
  /** null: it is so already. */
  step: Step | null;
  before: Image | null;
  after: Image | null;
  /** Folders that are made for it, parents first. */
  folders: string[];
}

export const AFTER_BYTES_MAX = 8 * 1024 * 1024;
/** Bytes of before that one change may have to hold until they are kept; those of large files are not held. */
const BEFORE_BYTES_MAX = 128 * 1024 * 1024;
const CONFLICTS_LISTED = 20;

/** What is asked about drafts: the files as they are, and what could be kept of them. */
export interface ResolveParts {
  files: Files;
  blobs: Blobs;
}

interface Resolving {
  project: ProjectHandle;
  files: Files;
  touched: Touched;
}

/** Reads the disk and changes nothing. One draft that does not fit refuses all of them. */
export async function resolveDrafts({ files, blobs }: ResolveParts, project: ProjectHandle, drafts: readonly Draft[]): Promise<Resolved> {
  const context: Resolving = { project, files, touched: createTouched() };
  const found: DraftOutcome[] = [];
  const changed: Failed[] = [];
  for (const draft of drafts) {
    try {
      found.push(await resolveDraft(context, draft));
    } catch (error) {
      if (!(error instanceof Failed) || error.code !== 'FILE_CHANGED') throw error;
      changed.push(error);
    }
  }
  refuseChanged(changed);
  const judge = createJudge(blobs);
  const outcomes = found.map((outcome) => (outcome.step === null ? outcome : { ...outcome, step: judge(outcome.step) }));
  refuseTooLarge(outcomes);
  const made = outcomes.flatMap((outcome) => outcome.folders).map((path) => step({ action: 'mkdir', path }));
  return { steps: [...made, ...outcomes.flatMap((outcome) => outcome.step ?? [])], outcomes };
}

function refuseChanged(changed: readonly Failed[]): void {
  const [first] = changed;
  if (first === undefined) return;
  if (changed.length === 1) throw first;
  throw new Failed('FILE_CHANGED', `${changed.length} files are not what the call expects. Nothing was changed.`, {
    recovery: 'Read the files again and send the call with their current hashes.',
    detail: { conflicts: changed.slice(0, CONFLICTS_LISTED).map((failed) => failed.failure.detail), count: changed.length },
  });
}

function refuseTooLarge(outcomes: readonly DraftOutcome[]): void {
  const [lost] = outcomes.filter(({ step: made }) => made !== null && !isUndoable(made));
  // Alone, because what fails after it could not be taken back whole.
  if (lost !== undefined && outcomes.length > 1)
    throw new Failed('FILE_TOO_LARGE', `${JSON.stringify(lost.path)} cannot be kept: ${lost.step?.loss ?? ''}. Nothing was changed.`, {
      recovery: 'Delete it in a change of its own.',
      detail: { path: lost.path, bytes: lost.before?.size ?? 0 },
    });
  const sum = (sizes: (number | undefined)[]) => sizes.reduce<number>((total, size) => total + (size ?? 0), 0);
  const after = sum(outcomes.map((outcome) => (outcome.step?.action === 'move' ? 0 : outcome.step?.after?.bytes?.length)));
  const before = sum(outcomes.map((outcome) => outcome.step?.before?.bytes?.length));
  if (after > AFTER_BYTES_MAX || before > BEFORE_BYTES_MAX)
    throw new Failed('RESOURCE_LIMIT', `The change is too large: ${after} bytes to write and ${before} to keep. Nothing was changed.`, {
      recovery: 'Send it as several smaller changes.',
      detail: { afterBytes: after, afterLimitBytes: AFTER_BYTES_MAX, beforeBytes: before, beforeLimitBytes: BEFORE_BYTES_MAX },
    });
}

async function resolveDraft(context: Resolving, draft: Draft): Promise<DraftOutcome> {
  const located = await context.files.locate(context.project, draft.path, 'write');
  switch (draft.kind) {
    case 'write':
      return resolveWrite(context, draft, located);
    case 'edit':
      return resolveEdit(context, draft, located);
    case 'delete':
      return resolveDelete(context, draft, located);
    case 'move':
      return resolveMove(context, draft, located);
    case 'mkdir':
      return resolveFolder(context, located);
  }
}

type DraftOf<Kind extends Draft['kind']> = Extract<Draft, { kind: Kind }>;

async function resolveWrite(context: Resolving, draft: DraftOf<'write'>, located: Located): Promise<DraftOutcome> {
  requireRoom(located.relative, draft.bytes.length, context.files.limits.readFileBytes);
  const after = imageOf(draft.bytes);
  if (located.kind !== 'absent') return replacement(await seeExpected(context, located, draft), located, after);
  if (draft.expectedHash !== 'absent') throw fileChanged(located.relative, draft.expectedHash, 'absent');
  context.touched.file(located);
  const folders = await missingFolders(context, splitPath(located.relative).folder);
  if (folders.length > 0 && !draft.createParents)
    throw new Failed('NOT_FOUND', `The folder ${JSON.stringify(folders[0])} does not exist. Nothing was written.`, {
      recovery: 'Send createParents: true, or make the folder first.',
    });
  const made = step({ action: 'create', path: located.relative, after, isExecutable: draft.isExecutable === true });
  return { path: located.relative, destPath: null, step: made, before: null, after, folders };
}

async function resolveEdit(context: Resolving, draft: DraftOf<'edit'>, located: Located): Promise<DraftOutcome> {
  const seen = await seeExpected(context, located, draft);
  const bytes = draft.edit(seen.bytes);
  requireRoom(located.relative, bytes.length, context.files.limits.readFileBytes);
  return replacement(seen, located, imageOf(bytes));
}

function replacement(seen: Seen, located: Located, after: Image): DraftOutcome {
  const before = imageOf(seen.bytes, seen.hash);
  const made = step({ action: 'replace', path: located.relative, before, after, beforeMeta: seen.meta });
  return { path: located.relative, destPath: null, step: before.hash === after.hash ? null : made, before, after, folders: [] };
}

async function resolveDelete(context: Resolving, draft: DraftOf<'delete'>, located: Located): Promise<DraftOutcome> {
  await refuseLink(context, draft.path, located);
  const limitBytes = context.files.limits.readFileBytes;
  const isHeld = (located.stats?.size ?? 0n) <= limitBytes;
  const seen = await seeExpected(context, located, { expectedHash: draft.expectedHash, isHeld });
  if (isHeld) draft.check?.(seen.bytes);
  // Where they differ could not be told without holding all of them.
  else if (draft.checkHash?.(seen.hash) === false) requireSize(located.relative, seen.size, limitBytes);
  const before = isHeld ? imageOf(seen.bytes, seen.hash) : { hash: seen.hash, size: seen.size, bytes: null };
  const made = step({ action: 'delete', path: located.relative, before, beforeMeta: seen.meta });
  return { path: located.relative, destPath: null, step: made, before, after: null, folders: [] };
}

async function resolveMove(context: Resolving, draft: DraftOf<'move'>, located: Located): Promise<DraftOutcome> {
  await refuseLink(context, draft.path, located);
  const target = await context.files.locate(context.project, draft.destPath, 'write');
  const seen = await seeExpected(context, located, { expectedHash: draft.expectedHash, isHeld: false });
  if (target.kind !== 'absent')
    throw new Failed('CONFLICT', `Something is at ${JSON.stringify(target.relative)} already. Nothing was moved.`, {
      detail: { destPath: target.relative, kind: target.kind },
    });
  context.touched.file(target);
  const [missing] = await missingFolders(context, splitPath(target.relative).folder, { isMade: false });
  if (missing !== undefined)
    throw new Failed('NOT_FOUND', `The folder ${JSON.stringify(missing)} does not exist. Nothing was moved.`, {
      recovery: 'Make it with make_directory.',
    });
  const image = { hash: seen.hash, size: seen.size, bytes: null };
  const paths = { path: located.relative, destPath: target.relative };
  const made = step({ action: 'move', ...paths, before: image, after: image, beforeMeta: seen.meta });
  return { ...paths, step: made, before: image, after: image, folders: [] };
}

async function resolveFolder(context: Resolving, located: Located): Promise<DraftOutcome> {
  const nothing = { path: located.relative, destPath: null, step: null, before: null, after: null };
  if (located.kind === 'directory') return { ...nothing, folders: [] };
  if (located.kind !== 'absent')
    throw new Failed('CONFLICT', `A file is at ${JSON.stringify(located.relative)}. No folder was made.`, {
      detail: { path: located.relative },
    });
  return { ...nothing, folders: await missingFolders(context, located.relative) };
}

/** A link inside the project may be read and written through, but to delete or move it would hit the file it leads to. */
async function refuseLink(context: Resolving, raw: string, located: Located): Promise<void> {
  if (!located.viaLink) return;
  const { folder, name } = splitPath(raw.replace(/\/+$/, ''));
  const parent = await context.files.locate(context.project, folder, 'write');
  if ((parent.relative === '.' ? name : `${parent.relative}/${name}`) !== located.relative)
    throw new Failed('PATH_DENIED', `${JSON.stringify(raw)} is a link. Nothing was changed.`, {
      recovery: `Name the file itself: ${located.relative}`,
    });
}

/** Every file a change reads is a file it touches. */
async function seeExpected(context: Resolving, located: Located, wish: { expectedHash: string; isHeld?: boolean }): Promise<Seen> {
  if (located.kind === 'file') context.touched.file(located);
  const { expectedHash, isHeld = true } = wish;
  return expectFile(context.project.root, located, { expectedHash, isHeld, limitBytes: context.files.limits.readFileBytes });
}

/** The folders down to `path` that are not there, parents first, each made once however many files need it. */
async function missingFolders(context: Resolving, path: string, { isMade } = { isMade: true }): Promise<string[]> {
  const missing: string[] = [];
  const names = path === '.' ? [] : path.split('/');
  for (const index of names.keys()) {
    const folder = names.slice(0, index + 1).join('/');
    const located = await resolveInside(context.project.root, folder);
    if (located.kind === 'absent' && !context.touched.isMade(folder)) missing.push(folder);
  }
  if (isMade) for (const folder of missing) context.touched.folder(folder);
  return missing;
}
