// `npm run picture`: takes the README's picture of the console from the real product after a client's real calls.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { overHttp, type Caller } from './mcp.ts';
import { drawbridge, openBrowser, place, repository, repositoryAt, start } from './product.ts';

const total = `export interface Line {
  price: number;
  qty: number;
}

/** The sum of a cart, in cents. */
export function total(lines: Line[]): number {
  let sum = 0;
  for (const line of lines) sum += line.price * line.qty;
  return Math.round(sum * 100);
}
`;
const files = {
  'package.json': '{\n  "name": "shop-api",\n  "scripts": { "test": "vitest run" }\n}\n',
  'src/cart/total.ts': total,
  'src/cart/round.ts': 'export const roundHalf = (x: number): number => Math.round(x * 2) / 2;\n',
  'README.md': '# shop-api\n',
  '.github/workflows/ci.yml': 'on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: npm test\n',
};

/** A stretch of an agent's work: reading, searching, two edits, a refusal, and one request that waits. */
async function work({ call }: Caller, root: string): Promise<void> {
  const hash = (path: string) =>
    createHash('sha256')
      .update(readFileSync(join(root, path)))
      .digest('hex');
  const path = 'src/cart/total.ts';
  const stale = hash(path);
  await call('read_files', { files: [{ path }] });
  await call('search_code', { query: 'roundHalf' });
  const edits = [
    { find: '  let sum = 0;\n', replace: '  let cents = 0;\n' },
    { find: 'sum += line.price * line.qty;', replace: 'cents += Math.round(line.price * 100) * line.qty;' },
    { find: 'return Math.round(sum * 100);', replace: 'return cents;' },
  ];
  await call('edit_file', { path, expectedHash: hash(path), edits });
  await call('edit_file', { path, expectedHash: stale, edits: [{ find: 'Line[]', replace: 'readonly Line[]' }] });
  await call('write_file', { path: 'src/cart/total.test.ts', expectedHash: 'absent', content: "import { expect, it } from 'vitest';\n" });
  const ci = '.github/workflows/ci.yml';
  await call('edit_file', { path: ci, expectedHash: hash(ci), edits: [{ find: 'npm test', replace: 'npm ci && npm test' }] });
}

async function main(): Promise<void> {
  using here = place();
  const home = join(here.path, 'home');
  const root = repositoryAt(join(here.path, 'shop-api'), files);
  await using bridge = await start(home, '--project', root);
  const { bearer } = JSON.parse(drawbridge('token', '--name', 'Claude Code', '--json', '--home', home)) as { bearer: string };
  await using client = await overHttp(bridge.line.mcpUrl, bearer);
  await work(client, root);
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, locale: 'en-GB' });
    await page.goto(bridge.line.ownerLink);
    await page.getByText('wants to').first().waitFor();
    await page.locator('.row', { hasText: 'Edit src/cart/total.ts' }).getByRole('link').first().click();
    await page.locator('.diff').first().waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await page.screenshot({ path: join(repository, 'e2e/picture.png') });
  } finally {
    await browser.close();
  }
}

await main();
