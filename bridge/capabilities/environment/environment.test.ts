// What a client learns of the machine, and that nothing a project holds is started to find it out.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { findProgram } from '../../base/process/find.ts';
import { productOver, type Product } from '../../testing/product.ts';

const PATH = process.env['PATH'] ?? '';
afterEach(() => void (process.env['PATH'] = PATH));

/** A project with a program of its own that leaves a mark when it is started. */
function plant({ folder }: Product): { bin: string; mark: string } {
  const [bin, mark] = [join(folder.root, 'bin'), join(folder.root, 'started')];
  mkdirSync(bin);
  writeFileSync(join(bin, 'git'), `#!/bin/sh\ntouch '${mark}'\necho 'git version 0'\n`);
  chmodSync(join(bin, 'git'), 0o755);
  return { bin, mark };
}

describe('environment_info', () => {
  it('says kinds and versions and no path, null for what is not there', async () => {
    await using product = await productOver({ 'a.txt': '' }, 'full');
    const { data } = await product.call('environment_info', product.context);
    expect(data).toMatchObject({
      arch: process.arch,
      tools: { node: process.version, git: expect.stringMatching(/^git version \d/) as string },
      capabilities: { accessMode: 'personal', search: 'ripgrep' },
    });
    expect(JSON.stringify(data)).not.toMatch(/\/(home|root|usr|tmp|bin)\b/);
  });

  it('S13 starts no program that lies in a project, and none from the working directory', async () => {
    await using product = await productOver({ 'a.txt': '' }, 'full');
    const { bin, mark } = plant(product);
    process.env['PATH'] = ['.', 'bin', bin, PATH].join(delimiter);
    const { data } = await product.call('environment_info', product.context);
    expect((data?.['tools'] as Record<string, string>)['git']).toMatch(/^git version [1-9]/);
    expect(existsSync(mark)).toBe(false);
    // The canary: without that rule it is the first one found.
    expect(findProgram('git', { outside: [] })).toBe(join(bin, 'git'));
    expect(findProgram('git', { outside: [product.folder.root] })).not.toContain(product.folder.root);
  });
});
