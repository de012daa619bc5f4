// What a first visit loads before any lazy part, of the console as it is built: at most 90 KB of script, compressed.
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { entry } from './product.ts';

const web = join(dirname(dirname(entry)), 'web');
const read = (path: string): string => readFileSync(join(web, path), 'utf8');

/** Every script that the page or one of its scripts names for at once: what a dynamic import() names comes later. */
function firstScripts(): Set<string> {
  const found = new Set<string>();
  const follow = (path: string) => {
    if (found.has(path)) return;
    found.add(path);
    for (const [, name = ''] of read(path).matchAll(/(?:\bfrom|\bimport)\s*["'](\.[^"']+\.js)["']/g))
      follow(posix.join(posix.dirname(path), name));
  };
  for (const [, path = ''] of read('index.html').matchAll(/(?:src|href)="(\/[^"]+\.js)"/g)) follow(path);
  return found;
}

it('the first load is at most 90 KB of compressed script', () => {
  const scripts = [...firstScripts()];
  expect(scripts.length).toBeGreaterThan(0);
  const bytes = scripts.map((path) => gzipSync(read(path), { level: 9 }).length);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(90_000);
  expect(Math.max(...bytes)).toBeGreaterThan(10_000);
});
