// A real project folder for one test, written from a literal and removed when the test lets go of it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { ProjectHandle } from '../operation.ts';
import { removeFolder, temporaryFolder } from './folder.ts';

export interface Workspace extends AsyncDisposable {
  /** Absolute real path of the project. */
  root: string;
  /** A folder beside the project, for what must stay out of reach. */
  outside: string;
  project: ProjectHandle;
  path(relative: string): string;
  write(relative: string, content: string | Uint8Array): void;
  bytes(relative: string): Buffer;
  /** Every path below the project, links and empty folders too; folders end in "/". */
  list(): string[];
}

/** Makes the folder. A key that ends in "/" makes an empty directory. */
export async function workspace(files: Record<string, string | Uint8Array> = {}): Promise<Workspace> {
  const base = temporaryFolder('workspace');
  const root = join(base, 'proj');
  const outside = join(base, 'outside');
  mkdirSync(root);
  mkdirSync(outside);
  const path = (relative: string) => (relative === '.' ? root : join(root, relative));
  const write = (relative: string, content: string | Uint8Array) => {
    mkdirSync(dirname(path(relative)), { recursive: true });
    writeFileSync(path(relative), content);
  };
  for (const [name, content] of Object.entries(files)) {
    if (name.endsWith('/')) mkdirSync(path(name), { recursive: true });
    else write(name, content);
  }
  return {
    root,
    outside,
    project: { projectId: 'prj_0000000000', name: 'proj', root, workspaceId: 'ws_test', epoch: 'epoch_test' },
    path,
    write,
    bytes: (relative) => readFileSync(path(relative)),
    list: () => listed(root, ''),
    async [Symbol.asyncDispose]() {
      removeFolder(base);
    },
  };
}

function listed(folder: string, prefix: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) =>
    entry.isDirectory()
      ? [`${prefix}${entry.name}/`, ...listed(join(folder, entry.name), `${prefix}${entry.name}/`)]
      : [`${prefix}${entry.name}`],
  );
}
