// Temporary folders are gone when their test lets go of them, and also when it does not.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { removeFolder, removeLeftFolders, temporaryFolder } from './folder.ts';

function filled(): string {
  const path = temporaryFolder('folder');
  mkdirSync(join(path, 'closed'));
  writeFileSync(join(path, 'closed', 'file'), '');
  chmodSync(join(path, 'closed'), 0o000);
  return path;
}

describe('temporaryFolder', () => {
  it('is gone when it is let go of, a closed folder inside too, and once more does no harm', () => {
    const path = filled();
    removeFolder(path);
    removeFolder(path);
    expect(existsSync(path)).toBe(false);
  });

  it('is gone at the end of the file when nobody let go of it', () => {
    const paths = [filled(), filled()];
    removeLeftFolders();
    expect(paths.filter((path) => existsSync(path))).toEqual([]);
  });

  it.each(['process.exit(1)', 'throw new Error("cut short")'])('is gone with a process that ends by %s', (end) => {
    const script = `import { temporaryFolder } from './bridge/testing/folder.ts'; process.stdout.write(temporaryFolder('ended')); ${end};`;
    const { stdout } = spawnSync(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], { encoding: 'utf8' });
    expect(stdout).toMatch(/drawbridge-ended-/);
    expect(existsSync(stdout)).toBe(false);
  });
});
