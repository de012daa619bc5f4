// Letters and signs that resemble ASCII. A letter counts only where it can deceive: mixed into ASCII, or a whole word of such letters.

const letters = pairs(
  // Cyrillic
  'аa сc ԁd еe һh іi јj ӏl оo рp ԛq ѕs ѵv ԝw хx уy ҮY ԌG',
  'АA ВB СC ЕE НH ІI ЈJ КK МM ОO РP ЅS ТT ѴV ХX УY ԚQ ԜW З3 ѡw',
  // Greek
  'αa οo νv ιi ρp υu κk γy τt χx ϲc ϳj σo',
  'ΑA ΒB ΕE ΖZ ΗH ΙI ΚK ΜM ΝN ΟO ΡP ΤT ΥY ΧX',
  // Armenian, Latin extensions, Cherokee
  'օo սu ոn հh զq ցg ՕO ՍU ԼL ıi ɑa ɡg ɩi ȷj',
  'ᎪA ᏴB ᏟC ᎠD ᎬE ᏀG ᎻH ᎫJ ᏦK ᏞL ᎷM ᏢP ᎡR ᏚS ᎢT ᏙV ᎳW ᏃZ',
);
/** These never belong into a path or a command, whatever stands beside them. */
const signs = pairs('⁄/ ∕/ ╱/ ⧸/ ⧵\\ ∖\\ ∶: ꞉: ː: ․. ‚, ∣| ǀ| │| ∗* ⁎* ǃ! ˂< ˃> ‹< ›>');
/** Only at the place of an option dash: elsewhere they are ordinary typography. */
const dashes = new Set('‐‑‒–—―−');

const wordCharacter = /[\p{L}\p{M}\p{N}_]/u;
const letter = /\p{L}/u;
const asciiLetter = /[A-Za-z]/;
const pathSign = /[/\\.@:_-]/;

/** Where look-alikes stand, by index, with what each resembles. Signs are reported only when `isStrict`. */
export function looksLike(characters: readonly string[], isStrict: boolean): Map<number, string> {
  const found = new Map<number, string>();
  for (let start = 0; start < characters.length; start += 1) {
    if (!wordCharacter.test(characters[start] as string)) {
      const sign = isStrict ? signAt(characters, start) : null;
      if (sign !== null) found.set(start, sign);
      continue;
    }
    let end = start;
    while (end < characters.length && wordCharacter.test(characters[end] as string)) end += 1;
    markWord(characters, { start, end }, found);
    start = end - 1;
  }
  return found;
}

function markWord(characters: readonly string[], span: { start: number; end: number }, found: Map<number, string>): void {
  const word = characters.slice(span.start, span.end);
  const marks = word.map((character) => letters.get(character) ?? compatible(character));
  if (marks.every((mark) => mark === null)) return;
  const isMixed = word.some((character) => asciiLetter.test(character));
  const isWhole = word.every((character, index) => marks[index] !== null || !letter.test(character));
  const isBesidePath = pathSign.test(characters[span.start - 1] ?? '') || pathSign.test(characters[span.end] ?? '');
  if (!isMixed && !(isWhole && (word.length > 1 || isBesidePath))) return;
  marks.forEach((mark, index) => {
    if (mark !== null) found.set(span.start + index, mark);
  });
}

function signAt(characters: readonly string[], index: number): string | null {
  const character = characters[index] as string;
  if (dashes.has(character)) {
    const isFirst = /^[\s'"=]?$/.test(characters[index - 1] ?? '');
    return isFirst && /[\p{L}\p{N}-]/u.test(characters[index + 1] ?? '') ? '-' : null;
  }
  return signs.get(character) ?? compatible(character);
}

/** Full-width, mathematical and other forms that Unicode itself folds into one printable ASCII character. */
function compatible(character: string): string | null {
  if (character <= '\x7f') return null;
  const folded = character.normalize('NFKC');
  return folded.length === 1 && folded > ' ' && folded < '\x7f' ? folded : null;
}

function pairs(...lines: string[]): Map<string, string> {
  return new Map(
    lines.flatMap((line) =>
      line.split(' ').map((pair) => {
        const [from, to] = Array.from(pair);
        return [from as string, to as string] as const;
      }),
    ),
  );
}
