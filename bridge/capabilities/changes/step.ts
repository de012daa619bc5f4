// One step of a change: what is expected at a place, and what shall be there. Data only; the journal carries it out.
import type { AppliedFile, FileAction } from '#shared/contracts/changes.ts';
import type { z } from 'zod';
import { sha256 } from '../../base/digest.ts';
import type { Meta } from '../../base/fs/meta.ts';

export interface Image {
  hash: string;
  size: number;
  /** null: not needed, as for a move, which keeps its bytes by itself. */
  bytes: Buffer | null;
}

export const imageOf = (bytes: Buffer, hash: string = sha256(bytes)): Image => ({ hash, size: bytes.length, bytes });

export interface Step {
  action: FileAction;
  /** Canonical, relative to the root. */
  path: string;
  destPath: string | null;
  before: Image | null;
  after: Image | null;
  /** Mode, owner and attributes that stand there now (replace, delete, move, rmdir). */
  beforeMeta: Meta | null;
  /** What a file or directory that is made shall have; null: what the system gives. */
  afterMeta: Meta | null;
  isExecutable: boolean;
}

const blank = { destPath: null, before: null, after: null, beforeMeta: null, afterMeta: null, isExecutable: false };

/** A step from what differs from the usual. */
export const step = (facts: Pick<Step, 'action' | 'path'> & Partial<Step>): Step => ({ ...blank, ...facts });

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
  mkdir: 'Make folder',
  rmdir: 'Remove folder',
};

/** One line for the timeline. Folders that come along with files are not worth a word. */
export function summaryOf(steps: readonly Step[]): string {
  const files = steps.filter((made) => made.action !== 'mkdir' && made.action !== 'rmdir');
  const named = files.length > 0 ? files : steps.slice(-1);
  const [first] = named;
  if (first === undefined) return 'Nothing to change';
  if (named.length === 1) return `${verbs[first.action]} ${first.path}${first.destPath === null ? '' : ` to ${first.destPath}`}`;
  const actions = new Set(named.map((made) => made.action));
  const shown = named.slice(0, 3).map((made) => made.path);
  const more = named.length > shown.length ? ` and ${named.length - shown.length} more` : '';
  return `${actions.size === 1 ? verbs[first.action] : 'Change'} ${named.length} files: ${shown.join(', ')}${more}`;
}
