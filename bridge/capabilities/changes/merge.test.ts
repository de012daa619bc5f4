// Selective undo of one file: what the other changes wrote stays byte for byte, or the answer is a conflict.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { merge } from './merge.ts';

const merged = (base: string, ours: string, theirs: string) => {
  const result = merge({ base: Buffer.from(base), ours: Buffer.from(ours), theirs: Buffer.from(theirs) });
  return 'bytes' in result ? result.bytes.toString() : result;
};

describe('merge', () => {
  it('keeps a later change of another line', () => {
    expect(merged('A\nb\nc\nd\n', 'A\nb\nc\nD\n', 'a\nb\nc\nd\n')).toBe('a\nb\nc\nD\n');
  });

  it('keeps a later change of the next line', () => {
    expect(merged('A\nb\n', 'A\nB\n', 'a\nb\n')).toBe('a\nB\n');
    expect(merged('a\nX\n', 'a\nX\nY\n', 'a\n')).toBe('a\nY\n');
    expect(merged('X\na\n', 'Y\nX\na\n', 'a\n')).toBe('Y\na\n');
  });

  it('refuses a change of the same line and names it', () => {
    expect(merged('a\nB\nc\n', 'a\nC\nc\n', 'a\nb\nc\n')).toEqual({ conflict: 'overlap', line: 2 });
    expect(merged('a\n', 'a\nY\n', 'a\nX\n')).toEqual({ conflict: 'overlap', line: 2 });
    expect(merged('1\n2\n3\n4\n', '1\nx\n4\n', '1\n2\nY\n3\n4\n')).toMatchObject({ conflict: 'overlap' });
  });

  it('takes what both sides did alike once', () => {
    expect(merged('a\nB\nc\nd\n', 'a\nb\nc\nD\n', 'a\nb\nc\nd\n')).toBe('a\nb\nc\nD\n');
    expect(merged('x', 'y', 'y')).toBe('y');
  });

  it('keeps endings, bytes that are no text, and a missing final newline', () => {
    expect(merged('A\r\nb\r\nc', 'A\r\nb\r\nC', 'a\r\nb\r\nc')).toBe('a\r\nb\r\nC');
    expect(merged('A\rb\rc', 'A\rb\rC', 'a\rb\rc')).toBe('a\rb\rC');
    const sides = (name: string) => Buffer.concat([Buffer.from([0xff, 0xfe, 0x0a]), Buffer.from(name)]);
    expect(merge({ base: sides('A\nb\nc'), ours: sides('A\nb\nC'), theirs: sides('a\nb\nc') })).toEqual({ bytes: sides('a\nb\nC') });
  });

  it('does not merge binary bytes by line', () => {
    expect(merged('\0A\nb', '\0A\nB', '\0a\nb')).toEqual({ conflict: 'binary' });
    expect(merged('\0A', '\0A', '\0a')).toBe('\0a');
  });

  it('merges far apart changes of a long file, and refuses what would take too long', () => {
    const lines = Array.from({ length: 10_000 }, (_unused, index) => `line ${index}\n`);
    const change = (at: number, text: string) => lines.with(at, text).join('');
    expect(merged(change(1, 'A\n'), lines.with(1, 'A\n').with(9_998, 'B\n').join(''), lines.join(''))).toBe(change(9_998, 'B\n'));
    const many = Array.from({ length: 20_000 }, (_unused, index) => `${index}\n`);
    const ends = (a: string, b: string) => [a, ...many, b].join('');
    expect(merged(ends('A', 'b'), ends('A', 'B'), ends('a', 'b'))).toEqual({ conflict: 'large' });
  });

  it('never loses a line of the other side: a clean merge has every line that only it added', () => {
    const line = fc.constantFrom<string>('a', 'b', 'c', 'd');
    fc.assert(
      fc.property(fc.array(line, { maxLength: 8 }), fc.tuple(fc.nat(8), fc.nat(8)), fc.boolean(), (before, [first, second], isInsert) => {
        const at = (list: string[], index: number) => Math.min(index, list.length);
        const theirs = before;
        const base = before.toSpliced(at(before, first), isInsert ? 0 : 1, 'MINE');
        const ours = base.toSpliced(at(base, second), isInsert ? 0 : 1, 'LATER');
        const text = (list: string[]) => list.map((item) => `${item}\n`).join('');
        const result = merged(text(base), text(ours), text(theirs));
        if (typeof result !== 'string') return;
        expect(result).toContain('LATER\n');
        if (ours.includes('MINE')) expect(result).not.toContain('MINE\n');
        if (isInsert) expect(result.replace('LATER\n', '')).toBe(text(before));
      }),
    );
  });
});
