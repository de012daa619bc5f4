// What is left of a program's output, as data, and that nothing of an escape ever is.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { terminalText } from './terminal.ts';

describe('terminalText', () => {
  it.each([
    ['plain\ntext\n', 'plain\ntext\n'],
    ['\u001b[31mred\u001b[0m and \u001b[1;38;5;200mmore\u001b[m', 'red and more'],
    ['\u001b]8;;https://example.com\u0007link\u001b]8;;\u0007', 'link'],
    ['\u001b]0;title\u001b\\shown', 'shown'],
    ['10 %\r50 %\r100 %\ndone\r\n', '100 %\ndone\n'],
    ['abcdef\rxy', 'xycdef'],
    ['wrong\b\b\b\b\bright', 'right'],
    ['a\u0000b\u0007c\td', 'abc\td'],
    ['\u001b(Bx\u001b7y\u001b=z', 'xyz'],
    ['cut \u001b[3', 'cut '],
    ['ไทย 日本 🌉', 'ไทย 日本 🌉'],
  ])('%j -> %j', (raw, text) => expect(terminalText(raw)).toBe(text));

  it('S26 leaves no control character but tab and newline, and is done once (property)', () => {
    const piece = fc.oneof(fc.constantFrom('\u001b', '[', ']', '31m', '\u0007', '\r', '\b', '\n', '\u009b', '\\', ';'), fc.string());
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = terminalText(pieces.join(''));
        expect([...text].filter((one) => (one < ' ' && one !== '\n' && one !== '\t') || one === '\u007f')).toEqual([]);
      }),
    );
  });
});
