// What stands at a path of the journal now, read through the same policy as any other path.
import { sha256 } from '../../base/digest.ts';
import { readMeta, type Meta } from '../../base/fs/meta.ts';
import { hashFile, openRegularSync, readWhole } from '../../base/fs/read.ts';
import { Failed } from '../../failed.ts';
import type { ProjectHandle } from '../../operation.ts';
import type { Files } from '../files/service.ts';

export type Now =
  | { kind: 'file'; hash: string; size: number; bytes: Buffer | null; meta: Meta }
  | { kind: 'directory'; mode: number }
  | { kind: 'absent' }
  /** A link, a device, a file too large to be one of ours: nothing the journal left. */
  | { kind: 'foreign' };

/** A file larger than any change could have written is hashed and not held. */
export async function seeNow(files: Files, project: ProjectHandle, path: string): Promise<Now> {
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

/** For looking only: what cannot be read is an answer. */
export async function seeIfReadable(files: Files, project: ProjectHandle, path: string): Promise<Now | { kind: 'unreadable' }> {
  try {
    return await seeNow(files, project, path);
  } catch (error) {
    if (error instanceof Failed) return { kind: 'unreadable' };
    throw error;
  }
}
