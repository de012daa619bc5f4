// What stands at a path of the journal now, read through the same policy as any other path.
import { sha256 } from '../../base/digest.ts';
import { readMeta, type Meta } from '../../base/fs/meta.ts';
import { readLink } from '../../base/fs/write.ts';
import { hashFile, openRegularSync, readWhole } from '../../base/fs/read.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';
import { holdPlaces } from './places.ts';

export type Now =
  | { kind: 'file'; hash: string; size: number; bytes: Buffer | null; meta: Meta }
  | { kind: 'directory'; mode: number }
  /** The bytes are those of where it leads. */
  | { kind: 'link'; hash: string; size: number; bytes: Buffer }
  | { kind: 'absent' }
  /** Below a link, a device, a file too large to be one of ours: nothing the journal left. */
  | { kind: 'foreign' };

/** Of a link nobody can set one. */
export const modeOf = (found: Now): number | undefined =>
  found.kind === 'file' ? found.meta.mode : found.kind === 'directory' ? found.mode : undefined;

/** A file larger than any change could have written is hashed and not held. */
export async function seeNow(files: Files, project: ProjectHandle, path: string): Promise<Now> {
  const link = linkAt(project.root, path);
  if (link !== null) return link;
  const located = await files.locate(project, path, 'write');
  if (located.kind === 'absent') return { kind: 'absent' };
  if (located.relative !== path || located.stats === null || located.kind === 'special') return { kind: 'foreign' };
  if (located.kind === 'directory') return { kind: 'directory', mode: Number(located.stats.mode & 0o7777n) };
  const file = openRegularSync(project.root, located);
  try {
    const bytes = file.size <= files.limits.readFileBytes ? await readWhole(file) : null;
    const hash = bytes === null ? await hashFile(file) : sha256(bytes);
    return { kind: 'file', hash, size: file.size, bytes, meta: readMeta({ fd: file.fd, path: located.absolute }) };
  } finally {
    file.close();
  }
}

/** The link that stands at the path itself; null when none does. */
function linkAt(root: string, path: string): Extract<Now, { kind: 'link' }> | null {
  using places = holdPlaces(root);
  try {
    const bytes = readLink(places.entry(path));
    return bytes === null ? null : { kind: 'link', hash: sha256(bytes), size: bytes.length, bytes };
  } catch (error) {
    if (error instanceof Failed) return null; // Its folder is gone, is a link or closed: the ordinary look says so.
    throw error;
  }
}

/** For looking only: what cannot be read is an answer. */
export async function ifReadable(look: () => Promise<Now>): Promise<Now | { kind: 'unreadable' }> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Failed) return { kind: 'unreadable' };
    throw error;
  }
}
