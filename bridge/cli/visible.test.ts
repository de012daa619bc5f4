// What an approval shows in a terminal is what will run: nothing in it can hide, move or reorder.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { visible, visibleLines } from './visible.ts';

describe('visible', () => {
  it.each([
    ['S26 an OSC 8 link', '\u001b]8;;https://evil.example\u0007x', '\\u{1b}]8;;https://evil.example\\u{7}x'],
    ['S19 a right-to-left override', 'a\u202egnp.exe', 'a\\u{202e}gnp.exe'],
    ['S19 a carriage return', 'rm x\rls', 'rm x\\u{d}ls'],
    ['S19 a newline', 'ls\nrm x', 'ls\\u{a}rm x'],
    ['a zero-width space', 'a\u200bb', 'a\\u{200b}b'],
    ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
    ['a variation selector', 'a\ufe0f', 'a\\u{fe0f}'],
    ['a C1 control', '\u009b31m', '\\u{9b}31m'],
    ['a lone surrogate', '\ud800x', '\\u{d800}x'],
    ['plain words of any script', 'naïve 日本語 ไทย 👍', 'naïve 日本語 ไทย 👍'],
  ])('%s', (_what, text, shown) => {
    expect(visible(text)).toBe(shown);
  });

  it('keeps lines as lines where there are several', () => {
    expect(visibleLines('a\tb\nc\u001b')).toBe('a\\u{9}b\nc\\u{1b}');
  });

  it('leaves nothing unseen in any text (property)', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => !/[\p{Cc}\p{Cf}\p{Cs}]/u.test(visible(text))));
  });
});
