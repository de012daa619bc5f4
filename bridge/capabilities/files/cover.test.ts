// A cover names exactly the files it stands for: nothing that was left out lies in a folder it names.
import { statSync, symlinkSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { comparePaths } from '#shared/paths.ts';
import { workspace } from '../../testing/workspace.ts';
import { createCatalogue } from './catalogue.ts';
import { scopeOf } from './scope.ts';

describe('coverOf', () => {
  it('stands for the searchable files and for no other', () => {
    const folder = fc.constantFrom('', 'a/', 'a/b/', 'c/', 'c/d/e/', 'node_modules/');
    const name = fc.constantFrom('x.ts', 'y.ts', '.env', 'big.bin', 'link', 'z.log', '.gitignore', '-');
    const file = fc.tuple(folder, name).map((parts) => parts.join(''));
    return fc.assert(
      fc.asyncProperty(fc.uniqueArray(file, { maxLength: 12 }), fc.constantFrom('.', 'a', 'c'), async (files, start) => {
        await using ws = await workspace({ 'a/b/': '', 'c/d/e/': '' });
        for (const path of files) {
          if (path.endsWith('link')) {
            ws.write(`${path}.ts`, '');
            symlinkSync('link.ts', ws.path(path));
          } else ws.write(path, path.endsWith('.bin') ? 'x'.repeat(100) : path.endsWith('.gitignore') ? '*.log\n' : '');
        }
        const request = { paths: [start], includeIgnored: false, limitBytes: 50, isOver: () => false };
        const scope = await scopeOf(ws.root, createCatalogue(), request);
        const all = ws.list().filter((path) => !path.endsWith('/'));
        const named = scope.cover.flatMap((path) =>
          isFolder(ws.path(path)) ? all.filter((one) => path === '.' || one.startsWith(`${path}/`)) : [path],
        );
        expect(named.sort(comparePaths)).toEqual(scope.files.map(({ path }) => path));
        expect(new Set(named).size).toBe(named.length);
      }),
      { numRuns: 60 },
    );
  });

  it('is one folder when nothing in it is left out', async () => {
    await using ws = await workspace({ 'src/a': '', 'src/b/c': '', '.env': '', 'lib/x/y': '', 'lib/z.map': '' });
    const scope = await scopeOf(ws.root, createCatalogue(), { includeIgnored: false, limitBytes: 50, isOver: () => false });
    expect([...scope.cover].sort()).toEqual(['lib/x', 'src']);
  });
});

const isFolder = (path: string) => statSync(path).isDirectory();
