// Leases as a model would count them, whatever order calls come and go in.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLeases } from './leases.ts';

describe('leases', () => {
  it('hold at most so many other projects, and give back exactly what was taken (property)', () => {
    const act = fc.record({ project: fc.integer({ min: 0, max: 5 }), isSecondary: fc.boolean(), ends: fc.nat(20) });
    fc.assert(
      fc.property(fc.array(act, { maxLength: 60 }), (acts) => {
        const leases = createLeases(3);
        const held: { project: string; isSecondary: boolean; end: () => void }[] = [];
        for (const { project: n, isSecondary, ends } of acts) {
          const project = `p${n}`;
          const secondary = new Set(held.filter((one) => one.isSecondary).map((one) => one.project));
          const hasRoom = !isSecondary || secondary.has(project) || secondary.size < 3;
          if (hasRoom) held.push({ project, isSecondary, end: leases.take(project, isSecondary) });
          else expect(() => leases.take(project, isSecondary)).toThrow(/other projects are in use/);
          const [ended] = ends < held.length ? held.splice(ends, 1) : [];
          ended?.end();
          ended?.end();
          for (let at = 0; at <= 5; at += 1) expect(leases.held(`p${at}`)).toBe(held.filter((one) => one.project === `p${at}`).length);
        }
      }),
    );
  });
});
