// Three languages, complete: the compiler checks that no word is missing, this that each word says something, in its own language.
import { describe, expect, it } from 'vitest';
import { preferred } from '../state/language.svelte.ts';
import { en } from './en.ts';
import { ja } from './ja.ts';
import type { Rich } from './rich.ts';
import { th } from './th.ts';

type Leaf = string | ((...given: never[]) => unknown);

function leaves(value: object, path = ''): [string, Leaf][] {
  return Object.entries(value).flatMap(([key, inner]): [string, Leaf][] => {
    const name = path === '' ? key : `${path}.${key}`;
    return typeof inner === 'object' ? leaves(inner as object, name) : [[name, inner as Leaf]];
  });
}

/** Sentences with emphasised parts, said from named values. */
const rich: ReadonlySet<string> = new Set(['ask.head', 'ask.covers', 'grants.head']);
const said = (leaf: Leaf): string => (typeof leaf === 'string' ? leaf : leaf.toString());
/** Names, paths and signs that are the same everywhere. */
const shared = /^(codes\.|settings\.capabilities\.crypto\.name|projects\.addPlaceholder|common\.exactAnd)/;

describe('languages', () => {
  it.each([
    ['ja', ja, /[\u3040-\u30ff\u4e00-\u9fff]/],
    ['th', th, /[\u0e00-\u0e7f]/],
  ])('%s says every word of the English, in its own script', (_tag, words, script) => {
    const own = new Map(leaves(words));
    for (const [name, leaf] of leaves(en)) {
      expect(own.has(name), name).toBe(true);
      const text = said(own.get(name) as Leaf);
      expect(typeof own.get(name), name).toBe(typeof leaf);
      if (!shared.test(name) && !rich.has(name)) expect(text, name).toMatch(script);
    }
    expect(own.size).toBe(leaves(en).length);
  });

  it('puts every value into the sentence in every language', () => {
    for (const words of [en, ja, th])
      for (const [name, leaf] of leaves(words)) {
        if (typeof leaf !== 'function' || rich.has(name)) continue;
        const marks = ['⟨1⟩', '⟨2⟩', '⟨3⟩'].slice(0, leaf.length);
        const counts = marks.map((_, index) => 11 + index);
        const say = leaf as unknown as (...given: unknown[]) => string;
        const isCounted = /(lead|calls|flood|more|waiting|newLines|manyFiles|laterKept|step)$/.test(name) && name !== 'activity.lead';
        const given = isCounted ? counts : marks;
        const text = say(...given);
        for (const value of given) expect(text, name).toContain(String(value));
      }
  });

  it('says who asks for what, and who may go on doing what, where and how long, in every language', () => {
    const flat = (sentence: Rich) => sentence.map((part) => (typeof part === 'string' ? part : Object.values(part).join('')));
    const asked = { who: 'Codex', operation: 'edit_file', target: 'ci.yml', project: 'parser' };
    const may = { who: 'Codex', operation: 'edit_file', project: 'parser', span: '1 hr' };
    for (const { ask, grants } of [en, ja, th]) {
      for (const value of ['Codex', 'ci.yml', 'parser']) expect(flat(ask.head(asked))).toContain(value);
      for (const value of Object.values(may)) expect(flat(ask.covers(may))).toContain(value);
      for (const value of ['Codex', 'edit_file', 'parser']) expect(flat(grants.head(may))).toContain(value);
    }
  });

  it.each([
    [['ja-JP', 'en'], 'ja'],
    [['fr', 'th-TH'], 'th'],
    [['fr'], 'en'],
    [[], 'en'],
  ])('takes the first language that is asked for and there: %j', (asked, tag) => {
    expect(preferred(asked)).toBe(tag);
  });
});
