// Ranks operations by what was asked, in any script: words are cut as the language cuts them, and known phrases count wherever they stand.
import type { OperationContract } from '#shared/contract.ts';
import { otherWords } from '#shared/contracts/words.ts';

export interface Described {
  name: string;
  contract: OperationContract;
}

/** Cuts Japanese and Thai, which put no space between words, as well as what does. */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const NAME = 3;
const PHRASE = 3;
const WORD = 2;
const TEXT = 1;
/** One Latin letter says nothing; one ideograph is a word. */
const isTelling = (word: string): boolean => word.length >= 2 || word > '\u2e80';

/** Normal form for comparing: width, case and composed characters as one. */
export const plain = (text: string): string => text.normalize('NFKC').toLowerCase();

export function wordsOf(query: string): string[] {
  const cut = [...segmenter.segment(plain(query).replaceAll('_', ' '))];
  return [...new Set(cut.flatMap(({ segment, isWordLike }) => (isWordLike === true && isTelling(segment) ? [segment] : [])))];
}

/** The operations that have anything to do with the query, best first; equal ones stay in their order. */
export function rank(all: readonly Described[], query: string): Described[] {
  const asked = plain(query);
  const words = wordsOf(query);
  return all
    .map((one) => ({ one, score: scoreOf(one, asked, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ one }) => one);
}

function scoreOf({ name, contract }: Described, asked: string, words: readonly string[]): number {
  const others = (otherWords[name] ?? []).map(plain);
  const text = plain(`${contract.title} ${contract.summary}`);
  const inName = asked.includes(name) ? NAME : 0;
  const phrases = others.filter((phrase) => isPhraseIn(asked, phrase)).length * PHRASE;
  return words.reduce((sum, word) => sum + wordScore(word, { name, others, text }), inName + phrases);
}

/** A Latin phrase must stand as whole words ("dir" is not in "direct"); scripts without spaces have no such border. */
function isPhraseIn(asked: string, phrase: string): boolean {
  const at = asked.indexOf(phrase);
  if (at < 0) return false;
  if (!/^[a-z0-9 ]+$/.test(phrase)) return true;
  return !/[a-z0-9]/.test(asked[at - 1] ?? ' ') && !/[a-z0-9]/.test(asked[at + phrase.length] ?? ' ');
}

function wordScore(word: string, op: { name: string; others: readonly string[]; text: string }): number {
  if (op.name.split('_').some((part) => part === word || (part.length >= 4 && (word.startsWith(part) || part.startsWith(word)))))
    return NAME;
  if (op.others.some((other) => other.length > word.length && other.includes(word))) return WORD;
  return op.text.includes(word) ? TEXT : 0;
}
