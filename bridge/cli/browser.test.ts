// The page that leads a browser to the link can be read by its owner alone, and leads nowhere else.
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../testing/folder.ts';
import { writeRedirect } from './browser.ts';

it('S05 is private from its first byte, also where an open one was left', () => {
  const home = temporaryFolder('browser');
  writeFileSync(join(home, 'open.html'), 'left', { mode: 0o644 });
  const file = writeRedirect(home, 'http://127.0.0.1:1/#link=abc&"x');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('content="0;url=http://127.0.0.1:1/#link=abc&amp;&quot;x"');
});
