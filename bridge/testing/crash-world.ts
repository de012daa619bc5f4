// A project of 200 files that goes from one version to the next in one change of every kind, so that half a version can be told.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../base/digest.ts';
import type { Draft } from '../capabilities/changes/service.ts';

export const FILES = 200;

/** Path to content, for one version. Folders are told by a trailing "/". */
export type World = Record<string, string>;

/** Odd and even versions differ in every file: replaced, there or not, under another name, or below a folder of its own. */
export function worldOf(version: number): World {
  const world: World = {};
  const isOdd = version % 2 === 1;
  for (let index = 0; index < FILES; index += 1) {
    const kind = index % 4;
    if (kind === 0) world[`replaced-${index}`] = `version ${version}\n`;
    if (kind === 1 && isOdd) world[`comes-and-goes-${index}`] = 'here\n';
    if (kind === 2) world[`moved-${index}-${isOdd ? 'odd' : 'even'}`] = `moved ${index}\n`;
    if (kind === 3 && version > 0) world[`folder-${index}/`] = '';
    if (kind === 3 && isOdd) world[`folder-${index}/file`] = `version ${version}\n`;
  }
  return world;
}

/** One change from a version to the next. */
export function draftsFor(version: number): Draft[] {
  const [before, after] = [worldOf(version), worldOf(version + 1)];
  const isFile = (path: string) => !path.endsWith('/');
  const drafts: Draft[] = [];
  const [gone, made] = [Object.keys(before).filter((path) => !(path in after)), Object.keys(after).filter((path) => !(path in before))];
  for (const path of gone.filter(isFile)) {
    const expectedHash = sha256(before[path] ?? '');
    const destPath = path.startsWith('moved-')
      ? made.find((other) => other.split('-')[1] === path.split('-')[1] && other.startsWith('moved-'))
      : undefined;
    drafts.push(destPath === undefined ? { kind: 'delete', path, expectedHash } : { kind: 'move', path, destPath, expectedHash });
  }
  for (const [path, content] of Object.entries(after)) {
    if (!isFile(path) || (path.startsWith('moved-') && !(path in before)) || before[path] === content) continue;
    const expectedHash = path in before ? sha256(before[path] ?? '') : 'absent';
    drafts.push({ kind: 'write', path, bytes: Buffer.from(content), expectedHash, createParents: true });
  }
  return drafts;
}

/** What is on the disk, in the same form. */
export function readWorld(root: string): World {
  const world: World = {};
  for (const entry of readdirSync(root, { withFileTypes: true, recursive: true })) {
    const path = join(entry.parentPath, entry.name).slice(root.length + 1);
    world[entry.isDirectory() ? `${path}/` : path] = entry.isDirectory() ? '' : readFileSync(join(root, path), 'utf8');
  }
  return world;
}
