// The branch and commit a repository stands on, read from its own files: no git program and so none of its hooks runs.
import { open } from 'node:fs/promises';
import { constants, lstatSync } from 'node:fs';
import { join } from 'node:path';

const HEAD_MAX_BYTES = 4096;
const PACKED_MAX_BYTES = 4 * 1024 * 1024;

export interface GitHead {
  branch: string | null;
  head: string | null;
}

/** The text of a small regular file that is no link; null when there is none to read. */
async function readSmall(path: string, limitBytes: number): Promise<string | null> {
  let file;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (thrown) {
    const code = (thrown as NodeJS.ErrnoException).code ?? '';
    if (['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'ENXIO'].includes(code)) return null;
    throw thrown;
  }
  try {
    const stats = await file.stat();
    if (!stats.isFile() || stats.size > limitBytes) return null;
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const commit = (text: string | null): string | null => text?.match(/^[0-9a-f]{40}([0-9a-f]{24})?/)?.[0] ?? null;

/** null when the folder is no repository of its own (a worktree's `.git` file points elsewhere and is not followed). */
export async function gitHead(root: string): Promise<GitHead | null> {
  if (lstatSync(join(root, '.git'), { throwIfNoEntry: false })?.isDirectory() !== true) return null;
  const head = await readSmall(join(root, '.git', 'HEAD'), HEAD_MAX_BYTES);
  if (head === null) return null;
  const ref = head.match(/^ref: (refs\/heads\/[^\s\0]+)\s*$/)?.[1];
  if (ref === undefined) return { branch: null, head: commit(head) };
  const branch = ref.slice('refs/heads/'.length);
  if (ref.split('/').includes('..')) return { branch, head: null };
  const loose = commit(await readSmall(join(root, '.git', ref), HEAD_MAX_BYTES));
  if (loose !== null) return { branch, head: loose };
  const packed = await readSmall(join(root, '.git', 'packed-refs'), PACKED_MAX_BYTES);
  const line = packed?.split('\n').find((text) => text.endsWith(` ${ref}`));
  return { branch, head: commit(line ?? null) };
}
