// What an approval shows must be what runs: these inputs try to make the eye read something else.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSuspicious, visible } from './visible.ts';

const shown = (text: string, isStrict = true) =>
  visible(text, { isStrict })
    .map((piece) => (piece.kind === 'text' ? piece.shown : `[${piece.shown}]`))
    .join('');

describe('visible', () => {
  it.each([
    ['RTL override', 'rm a\u202Efdp.exe', 'rm a[\\u202E]fdp.exe'],
    ['isolate', 'a\u2066b\u2069', 'a[\\u2066]b[\\u2069]'],
    ['newline', 'echo ok\nrm -rf .', 'echo ok[\\n]rm -rf .'],
    ['carriage return', 'echo hi\rrm -rf .', 'echo hi[\\r]rm -rf .'],
    ['zero width space', 'pass\u200bword', 'pass[\\u200B]word'],
    ['byte order mark', '\ufeffx', '[\\uFEFF]x'],
    ['terminal escape', '\u001b]8;;http://x\u0007', '[\\u001B]]8;;http://x[\\u0007]'],
    ['NUL', 'a\0b', 'a[\\0]b'],
    ['tab', 'a\tb', 'a[\\t]b'],
    ['no-break space', 'rm\u00a0-rf', 'rm[\\u00A0]-rf'],
    ['tag characters', 'x\u{e0041}', 'x[\\u{E0041}]'],
    ['line separator', 'a\u2028b', 'a[\\u2028]b'],
    ['lone surrogate', 'a\ud800b', 'a[\\uD800]b'],
    ['variation selectors as a hidden channel', '😀\ufe0f\ufe01\ufe02', '😀\ufe0f[\\uFE01][\\uFE02]'],
  ])('S19 escapes: %s', (_name, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    ['Cyrillic a in a path', 'src/p\u0430ckage.json', 'src/p[\\u0430]ckage.json'],
    ['a whole word of Cyrillic look-alikes', '\u0441\u043e\u0440\u0443 a b', '[\\u0441][\\u043E][\\u0440][\\u0443] a b'],
    ['one letter beside a path sign', './\u0430', './[\\u0430]'],
    ['division slash', 'a\u2215b', 'a[\\u2215]b'],
    ['full-width letters', '\uff52\uff4d -rf', '[\\uFF52][\\uFF4D] -rf'],
    ['mathematical letters', '\u{1d42b}m', '[\\u{1D42B}]m'],
    ['dash of an option', 'rm \u2013rf', 'rm [\\u2013]rf'],
    ['Greek question mark', 'ls\u037e rm', 'ls[\\u037E] rm'],
    ['dotless i', 'g\u0131t', 'g[\\u0131]t'],
  ])('S19 shows a look-alike: %s', (_name, text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    'Привет, это обычный текст с предлогом',
    '日本語のテキスト、そして長音記号ー',
    'ข้อความภาษาไทย',
    'Größe, naïve, “quoted” — and a dash',
    '👩‍👩‍👧 family ❤️',
    'plain ASCII | grep "x" > y',
  ])('leaves ordinary text alone: %s', (text) => {
    expect(isSuspicious(text)).toBe(false);
  });

  it('keeps tabs and wide spaces of file contents, but never direction marks', () => {
    expect(shown('\tif (a) {\u3000}', false)).toBe('\tif (a) {\u3000}');
    expect(shown('/*\u202e*/', false)).toBe('/*[\\u202E]*/');
  });

  it('names what a look-alike resembles', () => {
    expect(visible('p\u0430th').find((piece) => piece.kind === 'lookalike')?.like).toBe('a');
  });

  it('loses nothing, and shows everything it marks in printable ASCII', () => {
    const unit = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('\u202e', '\u200b', '\r', '\n', '\t', 'а', 'rm ', '/', '😀', '\ufe0f', '\ud800'),
    );
    fc.assert(
      fc.property(fc.array(unit), fc.boolean(), (parts, isStrict) => {
        const text = parts.join('');
        const pieces = visible(text, { isStrict });
        expect(pieces.map((piece) => piece.raw).join('')).toBe(text);
        for (const piece of pieces) if (piece.kind !== 'text') expect(piece.shown).toMatch(/^[\x21-\x7e]+$/);
      }),
    );
  });

  it('S19 lets no direction mark through as text, wherever it stands', () => {
    const marks = fc.constantFrom(...'\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069');
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), marks, fc.string({ unit: 'grapheme' }), (before, mark, after) => {
        const pieces = visible(before + mark + after, { isStrict: false });
        expect(pieces.some((piece) => piece.kind === 'text' && piece.shown.includes(mark))).toBe(false);
      }),
    );
  });
});
