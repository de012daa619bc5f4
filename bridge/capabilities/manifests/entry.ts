// What a manifest knows of one path: enough to tell a changed one by a look, and to put it back by its hash.
import type { Stats } from 'node:fs';
import type { Meta } from '../../base/fs/meta.ts';
import type { Kind } from '../changes/service.ts';
import type { Reason } from '../files/service.ts';

/** Why bytes are not kept. */
export type Why = Reason | 'too_large' | 'hard_link' | 'name' | 'unseen' | 'busy';

/** Tells one state of a file from the next. A program can set the second time of these back, but not the third. */
export interface Stamp {
  dev: number;
  ino: number;
  size: number;
  mtimeMs: number;
  ctimeMs: number;
}

interface Common extends Stamp {
  path: string;
  /** Changed so shortly before it was looked at that a later change may leave the same stamp. */
  isRacy: boolean;
}

/** A file, link or folder that could be put back. */
export interface Kept extends Common {
  kind: Kind;
  meta: Meta;
  /** Of the bytes of a file, or of where a link leads; null: a folder, or a file too large to be hashed. */
  hash: string | null;
  /** null: its bytes are in the store, or it has none. */
  why: 'too_large' | null;
}

/** Something that is told by name when it changes. What it holds is not looked at, but for a few stamps. */
export interface Blind extends Common {
  kind: 'blind';
  why: Why;
  isFolder: boolean;
  /** Of the stamps of what is in it, as far as they were looked at. */
  skim: string;
}

export type Entry = Kept | Blind;

export const stampOf = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): Stamp => ({ dev, ino, size, mtimeMs, ctimeMs });

export const isSameStamp = (a: Stamp, b: Stamp): boolean =>
  a.ctimeMs === b.ctimeMs && a.mtimeMs === b.mtimeMs && a.size === b.size && a.ino === b.ino && a.dev === b.dev;

/** Coarse clocks of file systems, with the same caution that git has. */
const RACY_MS = 2000;
export const isRacyAt = (stamp: Stamp, lookedAtMs: number): boolean => lookedAtMs - Math.max(stamp.ctimeMs, stamp.mtimeMs) < RACY_MS;

/** Whether two entries of one path are the same thing with the same bytes and mode, whenever they were looked at. */
export function isSameThing(a: Kept, b: Kept): boolean {
  if (a.kind !== b.kind || a.hash !== b.hash || a.why !== b.why) return false;
  if (a.kind === 'link') return true;
  if (a.why !== null && !isSameStamp(a, b)) return false;
  return a.meta.mode === b.meta.mode && JSON.stringify(a.meta.xattrs) === JSON.stringify(b.meta.xattrs);
}
