// A program of the tests as one file that plain Node runs, so that it can be killed and measured as a process of its own.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';

const repository = join(import.meta.dirname, '../..');

/** `name` is that of a file in this folder, without its ending. */
export async function bundled(name: string): Promise<{ program: string; remove(): void }> {
  /** Inside the repository, so that the native packages are found from it. */
  const program = join(repository, '.cache', `${name}-${process.pid}.mjs`);
  const bundle = await rolldown({
    input: join(import.meta.dirname, `${name}.ts`),
    platform: 'node',
    transform: { target: 'node20' },
    external: [/^node:/, 'better-sqlite3', 'fs-xattr', '@vscode/ripgrep'],
  });
  await bundle.write({ file: program, format: 'esm' });
  await bundle.close();
  return { program, remove: () => rmSync(program, { force: true }) };
}
