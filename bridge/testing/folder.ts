// Where every test gets its temporary folders. What a test did not let go of, because it failed or was cut short, goes with its file.
import { chmodSync, lstatSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const made = new Set<string>();

/** A fresh folder, as its real path. */
export function temporaryFolder(name: string): string {
  const path = realpathSync(mkdtempSync(join(tmpdir(), `drawbridge-${name}-`)));
  made.add(path);
  return path;
}

export function removeFolder(path: string): void {
  openUp(path);
  rmSync(path, { recursive: true, force: true });
  made.delete(path);
}

/** Run after each test file; what is no test file ends with its process. */
export function removeLeftFolders(): void {
  for (const path of made) removeFolder(path);
}
process.once('exit', removeLeftFolders);

/** Gives folders that a test has closed their rights back, so that they can be removed. */
function openUp(path: string): void {
  if (!lstatSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path)) openUp(join(path, entry));
}
