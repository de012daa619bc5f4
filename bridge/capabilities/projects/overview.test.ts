// First sight of a project from its file list: bounded, in a fixed order, with what was left out said.
import { expect, it } from 'vitest';
import { languagesIn, manifestsIn, shallowTree } from './overview.ts';

const listed = (...paths: string[]) => paths.map((path) => ({ path, size: 1 }));

it('finds manifests in the first two levels only', () => {
  expect(manifestsIn(listed('package.json', 'api/go.mod', 'a/b/package.json', 'package.json.bak'))).toEqual(['api/go.mod', 'package.json']);
});

it('counts languages, the most used first', () => {
  expect(languagesIn(listed('a.ts', 'b.tsx', 'c.py', 'Makefile'))).toEqual([
    { language: 'TypeScript', files: 2 },
    { language: 'Python', files: 1 },
  ]);
});

it('shows two levels and says when more was there than fits', () => {
  const { tree, isCut } = shallowTree(listed('a/b/c.ts', 'a/d.ts', 'e.ts'));
  expect(tree.map(({ path, kind }) => `${path} ${kind}`)).toEqual(['a directory', 'a/b directory', 'a/d.ts file', 'e.ts file']);
  expect(isCut).toBe(false);
  expect(shallowTree(listed(...Array.from({ length: 201 }, (_, n) => `f${n}`)))).toMatchObject({ isCut: true, tree: { length: 200 } });
});
