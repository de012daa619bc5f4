// Diffs for the eye: right line numbers however large the file, one line for one line, and never more than the limit.
import fc from 'fast-check';
import { applyPatch } from 'diff';
import { describe, expect, it } from 'vitest';
import { boundDiffs, diffText, joinDiffs } from './difftext.ts';

const diff = (before: string | null, after: string | null) =>
  diffText({ path: 'f', before: before === null ? null : Buffer.from(before), after: after === null ? null : Buffer.from(after) });

const changedLines = (text: string) => text.split('\n').filter((line) => /^[-+](?![-+]{2} )/.test(line));

describe('diffText', () => {
  it('B07 shows one changed line as one line, whatever ends it', () => {
    for (const ending of ['\n', '\r\n', '\r']) {
      const lines = ['one', 'two', 'three', ''];
      const { diff: text } = diff(lines.join(ending), lines.with(1, 'zwei').join(ending));
      expect(changedLines(text).map((line) => line.trimEnd())).toEqual(['-two', '+zwei']);
    }
  });

  it('counts lines from the top of a large file', () => {
    const lines = Array.from({ length: 200_000 }, (_unused, index) => `line ${index + 1} of many`);
    const { diff: text, truncated } = diff(lines.join('\n'), lines.with(149_999, 'changed').join('\n'));
    expect(text).toContain('@@ -149997,7 +149997,7 @@');
    expect(truncated).toBe(false);
  });

  it('says what is new, gone, unchanged, moved or not text', () => {
    expect(diff(null, 'a\n').diff).toBe('--- /dev/null\n+++ b/f\n@@ -0,0 +1,1 @@\n+a\n');
    expect(diff('a\n', null).diff).toBe('--- a/f\n+++ /dev/null\n@@ -1,1 +0,0 @@\n-a\n');
    expect(diff('a', 'a').diff).toBe('--- a/f\n+++ b/f\n');
    expect(diffText({ path: 'f', destPath: 'g', before: Buffer.from('a'), after: Buffer.from('a') }).diff).toBe('--- a/f\n+++ b/g\n');
    expect(diff('a\0', 'b').diff).toContain('Binary: 2 bytes before, 1 bytes after');
    expect(diff('a', 'b').diff).toContain('\\ No newline at end of file');
  });

  it('is cut at the limit and says so', () => {
    const many = (word: string) => Array.from({ length: 5000 }, (_unused, index) => `${word} ${index}`).join('\n');
    for (const [before, after] of [
      [null, many('new')],
      [many('old'), many('new')],
      ['x', 'é'.repeat(40_000)],
      ['a'.repeat(3_000_000), 'b'],
    ] as const) {
      const { diff: text, truncated } = diff(before, after);
      expect(truncated).toBe(true);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(16 * 1024 + 1);
      expect(text).not.toContain('\ufffd');
    }
    expect(joinDiffs([diff('a', many('b')), diff('a', 'b')]).truncated).toBe(true);
    expect(joinDiffs([diff('a', 'b'), diff('c', 'd')])).toMatchObject({ truncated: false });
  });

  it('shows the beginning of a long new file, and shares one answer among many', () => {
    const long = Array.from({ length: 9000 }, (_unused, index) => `line ${index}`).join('\n');
    expect(diff(null, long).diff).toContain('@@ -0,0 +1,9000 @@\n+line 0\n+line 1\n');
    const shared = boundDiffs(Array.from({ length: 50 }, () => diff(null, long)));
    expect(Buffer.byteLength(shared.map((one) => one.diff).join(''))).toBeLessThanOrEqual(48 * 1024 + 50);
    expect(shared.at(-1)).toEqual({ diff: '', truncated: true });
    expect(boundDiffs([diff('a', 'b')])[0]?.truncated).toBe(false);
  });

  it('can be applied to give the other side, so it tells the truth', () => {
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 }).map((lines) => lines.join('\n'));
    fc.assert(
      fc.property(text, text, fc.nat(30), (before, after, padding) => {
        const pad = 'p\n'.repeat(padding);
        const { diff: patch } = diff(pad + before + pad, pad + after + pad);
        expect(applyPatch(pad + before + pad, patch)).toBe(pad + after + pad);
      }),
    );
  });

  it('files of one answer share their time: what comes when it is spent is told in sizes, and nothing is compared', () => {
    const sides = { path: 'f', before: Buffer.from('a\nb\n'), after: Buffer.from('a\nc\n') };
    const budget = { leftMs: 300 };
    expect(diffText(sides, budget).truncated).toBe(false);
    expect(budget.leftMs).toBeLessThan(300);
    budget.leftMs = 0;
    expect(diffText(sides, budget)).toEqual({
      diff: '--- a/f\n+++ b/f\nToo much to compare here: 4 bytes before, 4 bytes after\n',
      truncated: true,
    });
    expect(budget.leftMs).toBe(0);
    expect(diffText({ ...sides, before: null }, budget).diff).toContain('+c');
  });
});
