// An approval lists every leaf of the arguments: nothing may hide in the depth.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factsOf, readJson } from './facts.ts';

describe('factsOf', () => {
  it('names each leaf by its way down', () => {
    expect(factsOf({ path: 'a.ts', edits: [{ find: 'x', replaceAll: true }], none: [], nothing: null })).toEqual([
      { name: 'path', value: 'a.ts' },
      { name: 'edits[0].find', value: 'x' },
      { name: 'edits[0].replaceAll', value: 'true' },
      { name: 'none', value: '[]' },
      { name: 'nothing', value: 'null' },
    ]);
  });

  it('S19 shows every string of any arguments', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
        const leaves: string[] = [];
        JSON.stringify(input, (_, value: unknown) => {
          if (typeof value === 'string') leaves.push(value);
          return value;
        });
        const values = factsOf(input).map((fact) => fact.value);
        expect(leaves.every((leaf) => values.includes(leaf))).toBe(true);
      }),
    );
  });
});

describe('readJson', () => {
  it('gives text back that is no JSON', () => {
    expect([readJson('{"a":1}'), readJson('{')]).toEqual([{ a: 1 }, '{']);
  });
});
