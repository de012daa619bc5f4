// What axe finds on a page as it is now; nothing is what every screen must have.
import axe from 'axe-core';
import type { Page } from 'playwright';

/** A colour that is on its way to another is not one of the page's. What turns for ever is not waited for. */
const SETTLED = `Promise.allSettled(document.getAnimations()
  .filter((one) => Number.isFinite(one.effect?.getComputedTiming().endTime))
  .map((one) => one.finished)).then(() => undefined)`;

export async function violationsOn(page: Page): Promise<string[]> {
  await page.evaluate(SETTLED);
  await page.evaluate(axe.source);
  return page.evaluate(async () => {
    const results = await (globalThis as unknown as { axe: typeof axe }).axe.run();
    return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html).join(' | ')}`);
  });
}
