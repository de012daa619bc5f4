// Splits text into pieces so that what could mislead a reader is shown escaped. Joined again, the pieces are the text, unchanged.
import { looksLike } from './lookalikes.ts';

export type PieceKind = 'text' | 'newline' | 'control' | 'direction' | 'invisible' | 'space' | 'lookalike';

export interface Piece {
  kind: PieceKind;
  /** The characters themselves. */
  raw: string;
  /** What to show: the same characters for `text`, an ASCII escape for everything else. */
  shown: string;
  /** The ASCII character a look-alike resembles. */
  like: string | null;
}

export interface VisibleOptions {
  /** Tabs, wide spaces and single look-alike punctuation are ordinary in files and suspicious in a command. */
  isStrict: boolean;
}

/** Nothing here needs a second look: printable ASCII, ordinary letters of any script, and line ends. */
const harmless = /^[\n\x20-\x7e]*$/;
const directional = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
/** Ranges of characters that draw nothing: as numbers, because many of them join with what stands before them. */
const invisible: readonly (readonly [number, number])[] = [
  [0x00ad, 0x00ad],
  [0x034f, 0x034f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200d],
  [0x2060, 0x2065],
  [0x206a, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
  [0x1bca0, 0x1bca3],
  [0x1d173, 0x1d17a],
  [0xe0000, 0xe0fff],
];
const oddSpace = /[\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]/;
const control = /[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]/u;
const pictograph = /\p{Extended_Pictographic}/u;
const named: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t', '\0': '\\0' };

export function visible(text: string, options: VisibleOptions = { isStrict: true }): Piece[] {
  if (harmless.test(text)) return splitLines(text);
  const characters = Array.from(text);
  const lookalikes = looksLike(characters, options.isStrict);
  const pieces: Piece[] = [];
  characters.forEach((character, index) => {
    const like = lookalikes.get(index) ?? null;
    const kind = like === null ? kindOf(characters, index, options.isStrict) : 'lookalike';
    const last = pieces.at(-1);
    if (kind === 'text' && last?.kind === 'text') {
      last.raw += character;
      last.shown += character;
    } else pieces.push({ kind, raw: character, shown: kind === 'text' ? character : escaped(character), like });
  });
  return pieces;
}

/** True when the text holds something besides ordinary characters and line ends. */
export function isSuspicious(text: string, options: VisibleOptions = { isStrict: true }): boolean {
  return visible(text, options).some((piece) => piece.kind !== 'text' && piece.kind !== 'newline');
}

function splitLines(text: string): Piece[] {
  const pieces: Piece[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    if (index > 0) pieces.push({ kind: 'newline', raw: '\n', shown: '\\n', like: null });
    if (line !== '') pieces.push({ kind: 'text', raw: line, shown: line, like: null });
  }
  return pieces;
}

function kindOf(characters: readonly string[], index: number, isStrict: boolean): PieceKind {
  const character = characters[index] as string;
  if (character === '\n') return 'newline';
  if (character === '\t' && !isStrict) return 'text';
  if (control.test(character)) return 'control';
  if (directional.test(character)) return 'direction';
  if (isInvisible(character)) return joinsEmoji(characters, index) ? 'text' : 'invisible';
  if (isStrict && oddSpace.test(character)) return 'space';
  return 'text';
}

function isInvisible(character: string): boolean {
  const point = character.codePointAt(0) ?? 0;
  return invisible.some(([from, to]) => point >= from && point <= to);
}

/** The two invisible characters that ordinary emoji are built with, and only in the place where they belong. */
function joinsEmoji(characters: readonly string[], index: number): boolean {
  const before = characters[index - 1] ?? '';
  if (characters[index] === '\ufe0f') return pictograph.test(before);
  const isAfterEmoji = pictograph.test(before) || (before === '\ufe0f' && pictograph.test(characters[index - 2] ?? ''));
  return characters[index] === '\u200d' && isAfterEmoji && pictograph.test(characters[index + 1] ?? '');
}

function escaped(character: string): string {
  const name = named[character];
  if (name !== undefined) return name;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return code.length > 4 ? `\\u{${code}}` : `\\u${code.padStart(4, '0')}`;
}
