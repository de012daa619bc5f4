// A whole tree as plain data, to be compared before and after: every entry with its kind, mode and bytes or target.
import { chmodSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { sha256 } from '../base/digest.ts';

/** What stands at a path, as a test writes it. */
export type Thing = { file: string | Buffer; mode?: number } | { link: string } | { folder: Record<string, Thing>; mode?: number } | null;

export function make(path: string, thing: Thing): void {
  rmSync(path, { recursive: true, force: true });
  if (thing === null) return;
  mkdirSync(dirname(path), { recursive: true });
  if ('link' in thing) return symlinkSync(thing.link, path);
  if ('file' in thing) writeFileSync(path, thing.file);
  else {
    mkdirSync(path);
    for (const [name, inner] of Object.entries(thing.folder)) make(join(path, name), inner);
  }
  chmodSync(path, thing.mode ?? ('file' in thing ? 0o644 : 0o755));
}

/** Path to "kind mode hash". */
export function treeOf(root: string, below = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const name of readdirSync(join(root, below)).sort()) {
    const path = below === '' ? name : `${below}/${name}`;
    const stats = lstatSync(join(root, path));
    const mode = (stats.mode & 0o7777).toString(8);
    if (stats.isSymbolicLink()) tree[path] = `link ${readlinkSync(join(root, path))}`;
    else if (stats.isDirectory()) Object.assign(tree, { [path]: `folder ${mode}` }, treeOf(root, path));
    else tree[path] = `file ${mode} ${sha256(readFileSync(join(root, path)))}`;
  }
  return tree;
}
