// Text for a terminal: what could move the cursor, hide words or reorder them is written out instead (S19, S26).

/** Controls (tab and newline too), formats, line separators, lone surrogates, and all that a terminal shows as nothing. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

export const visible = (text: string): string =>
  text.replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/** The same for text of several lines, which stay lines. */
export const visibleLines = (text: string): string => text.split('\n').map(visible).join('\n');
