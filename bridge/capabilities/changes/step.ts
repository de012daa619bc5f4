// One step of a change: what is expected at a place, and what shall be there. Data only; the journal carries it out.
import type { AppliedFile, FileAction } from '#shared/contracts/changes.ts';
import { counted } from '#shared/counted.ts';
import type { z } from 'zod';
import { sha256 } from '../../base/digest.ts';
import type { Meta } from '../../base/fs/meta.ts';

export interface Image {
  hash: string;
  size: number;
  /** null: a move needs none; those of a large file are copied piece by piece from where they are, the disk or the store. */
  bytes: Buffer | null;
}

export const imageOf = (bytes: Buffer, hash: string = sha256(bytes)): Image => ({ hash, size: bytes.length, bytes });

/** What a path can have that a change can make and take back. The bytes of a link are those of where it leads. */
export type Kind = 'file' | 'link' | 'directory';

/** What an action is about unless it says otherwise. */
export const kindsOf: Record<FileAction, { before: Kind | null; after: Kind | null }> = {
  create: { before: null, after: 'file' },
  replace: { before: 'file', after: 'file' },
  delete: { before: 'file', after: null },
  move: { before: 'file', after: 'file' },
  mkdir: { before: null, after: 'directory' },
  rmdir: { before: 'directory', after: null },
};

export interface Step {
  action: FileAction;
  /** Canonical, relative to the root. */
  path: string;
  destPath: string | null;
  /** null: nothing is there. */
  beforeKind: Kind | null;
  afterKind: Kind | null;
  before: Image | null;
  after: Image | null;
  /** Mode, owner and attributes that stand there now (replace, delete, move, rmdir). */
  beforeMeta: Meta | null;
  /** What is made shall have; null: what was there has, or what the system gives. */
  afterMeta: Meta | null;
  isExecutable: boolean;
  /** Why the bytes that a deletion takes away cannot be kept, as a sentence without its end; null when they can. */
  loss: string | null;
}

const blank = { destPath: null, before: null, after: null, beforeMeta: null, afterMeta: null, isExecutable: false, loss: null };

/** A step from what differs from the usual. */
export const step = (facts: Pick<Step, 'action' | 'path'> & Partial<Step>): Step => {
  const { before, after } = kindsOf[facts.action];
  return { ...blank, beforeKind: before, afterKind: after, ...facts };
};

export const appliedFile = (made: Step): z.input<typeof AppliedFile> => ({
  path: made.path,
  destPath: made.destPath,
  action: made.action,
  beforeHash: made.before?.hash ?? null,
  afterHash: made.after?.hash ?? null,
});

/** The folder a path is in and its name there; the root has no name. */
export function splitPath(path: string): { folder: string; name: string } {
  const cut = path.lastIndexOf('/');
  return { folder: cut < 0 ? '.' : path.slice(0, cut), name: path.slice(cut + 1) };
}

const verbs: Record<FileAction, string> = {
  create: 'Create',
  replace: 'Edit',
  delete: 'Delete',
  move: 'Move',
  mkdir: 'Make',
  rmdir: 'Remove',
};

/** Neither before nor after is it a file or a link. */
export const isFolder = ({ beforeKind, afterKind }: Step): boolean =>
  [beforeKind, afterKind].every((kind) => kind === null || kind === 'directory');

/** Only the mode becomes another one. */
export const isModeOnly = ({ action, beforeKind, afterKind, before, after, beforeMeta, afterMeta }: Step): boolean =>
  action === 'replace' &&
  beforeKind === afterKind &&
  before?.hash === after?.hash &&
  afterMeta !== null &&
  JSON.stringify(beforeMeta?.xattrs ?? {}) === JSON.stringify(afterMeta.xattrs);

/** Has to be there before what goes into it: a folder that is made, or opened for writing. */
export const isEarly = ({ action, afterKind, beforeKind, afterMeta }: Step): boolean =>
  action === 'mkdir' ||
  (action === 'replace' && afterKind === 'directory' && (beforeKind !== 'directory' || ((afterMeta?.mode ?? 0) & OPEN) === OPEN));
const OPEN = 0o300;

/** Has to wait until what is in it is gone or in its place: a folder that goes, or is closed for writing. */
export const isLate = (made: Step): boolean => made.beforeKind === 'directory' && !isEarly(made);

/** The one thing that cannot be taken back: the deletion of a file whose bytes find no room. */
export const isUndoable = ({ loss }: Step): boolean => loss === null;

/** One line for the timeline: files by name, and folders for themselves, never counted as files. */
export function summaryOf(steps: readonly Step[]): string {
  const files = steps.filter((made) => !isFolder(made));
  const made = foldersOf(steps, 'mkdir');
  const removed = foldersOf(steps, 'rmdir');
  const modes = foldersOf(steps, 'replace');
  return [...(files.length === 0 ? [] : [filesOf(files)]), ...made, ...removed, ...modes].join('; ') || 'Nothing to change';
}

function filesOf(files: readonly Step[]): string {
  const [first] = files as [Step];
  if (files.length === 1) return `${verbs[first.action]} ${first.path}${first.destPath === null ? '' : ` to ${first.destPath}`}`;
  const actions = new Set(files.map(({ action }) => action));
  const verb = actions.size === 1 ? verbs[first.action] : 'Change';
  return `${verb} ${files.length} files: ${named(files)}`;
}

function foldersOf(steps: readonly Step[], action: 'mkdir' | 'rmdir' | 'replace'): string[] {
  const folders = steps.filter((made) => made.action === action && isFolder(made));
  const verb = action === 'replace' ? 'Set the mode of' : verbs[action];
  return folders.length === 0 ? [] : [`${verb} ${counted(folders.length, 'folder')}: ${named(folders)}`];
}

const NAMED = 3;

function named(steps: readonly Step[]): string {
  const shown = steps.slice(0, NAMED).map(({ path }) => path);
  return `${shown.join(', ')}${steps.length > NAMED ? ` and ${steps.length - NAMED} more` : ''}`;
}
