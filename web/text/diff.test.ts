// The diff an owner reads: numbers and kinds must be right for any content, also content that looks like a diff.
import { createTwoFilesPatch } from 'diff';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countDiff, modesOf, parseDiff } from './diff.ts';

const patch = (before: string, after: string) => createTwoFilesPatch('a', 'b', before, after, '', '', { context: 3 });

describe('modesOf', () => {
  it('finds the two modes at the beginning of a diff and nowhere else', () => {
    expect(modesOf('old mode 0644\nnew mode 0755\n--- a\n+++ b\n')).toEqual({ before: '0644', after: '0755' });
    expect(modesOf('--- a\n+++ b\n@@ -1,2 +1,2 @@\n old mode 0644\n new mode 0755\n')).toBeNull();
  });
});

describe('parseDiff', () => {
  it('numbers both sides', () => {
    const [hunk] = parseDiff('--- a\n+++ b\n@@ -11,3 +11,3 @@ total()\n one\n-two\n+TWO\n three\n');
    expect(hunk?.heading).toBe('total()');
    expect(hunk?.lines).toEqual([
      { kind: 'context', before: 11, after: 11, text: 'one' },
      { kind: 'removed', before: 12, after: null, text: 'two' },
      { kind: 'added', before: null, after: 12, text: 'TWO' },
      { kind: 'context', before: 13, after: 13, text: 'three' },
    ]);
  });

  it('keeps lines that look like headers inside a hunk', () => {
    const hunks = parseDiff(patch('-- x\n@@ -1 +1 @@\n', '++ y\n@@ -1 +1 @@\n'));
    expect(hunks).toHaveLength(1);
    expect(hunks[0]?.lines.map((line) => line.kind)).toEqual(['removed', 'added', 'context']);
  });

  it('tells of a missing final newline as a note', () => {
    const lines = parseDiff(patch('a', 'b')).flatMap((hunk) => hunk.lines);
    expect(lines.filter((line) => line.kind === 'note').map((line) => line.text)).toEqual([
      'No newline at end of file',
      'No newline at end of file',
    ]);
  });

  it('keeps a carriage return, which the view then shows', () => {
    expect(parseDiff('@@ -0,0 +1 @@\n+a\r\n')[0]?.lines[0]?.text).toBe('a\r');
  });

  it('reads nothing out of text without a hunk', () => {
    expect(parseDiff('Binary files differ')).toEqual([]);
  });

  it('rebuilds both sides of any small edit', () => {
    const line = fc.constantFrom('a', 'b', '', '--- c', '+++ d', '@@ -1,2 +3,4 @@', '\\ e', ' f', '-', '+');
    const file = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((text) => `${text}\n`).join(''));
    fc.assert(
      fc.property(file, file, (before, after) => {
        const hunks = parseDiff(createTwoFilesPatch('a', 'b', before, after, '', '', { context: 100 }));
        const side = (drop: string) =>
          hunks
            .flatMap((hunk) => hunk.lines)
            .filter((entry) => entry.kind !== drop && entry.kind !== 'note')
            .map((entry) => `${entry.text}\n`)
            .join('');
        if (before === after) expect(hunks).toEqual([]);
        else expect([side('added'), side('removed')]).toEqual([before, after]);
      }),
    );
  });

  it('counts what was added and removed', () => {
    expect(countDiff(parseDiff(patch('a\nb\n', 'a\nc\nd\n')))).toEqual({ added: 2, removed: 1 });
  });
});
