// The language of the words, numbers and times: the owner's choice, else the first the browser asks for that there is.
import { createFormat, type Format } from '../words/format.ts';
import { en, type Words } from '../words/en.ts';

export const languages = ['en', 'ja', 'th'] as const;
export type LanguageTag = (typeof languages)[number];

export const languageNames: Record<LanguageTag, string> = { en: 'English', ja: '日本語', th: 'ไทย' };

const loaders: Record<LanguageTag, () => Promise<Words>> = {
  en: async () => en,
  ja: async () => (await import('../words/ja.ts')).ja,
  th: async () => (await import('../words/th.ts')).th,
};

const KEY = 'drawbridge.language';

export const preferred = (asked: readonly string[]): LanguageTag =>
  asked.map((tag) => languages.find((known) => known === tag.toLowerCase().split('-')[0])).find((tag) => tag !== undefined) ?? 'en';

export class Language {
  words = $state.raw<Words>(en);
  format = $state.raw<Format>(createFormat('en'));
  tag = $state<LanguageTag>('en');
  /** null: as the browser asks. */
  chosen = $state<LanguageTag | null>(null);
  readonly system: LanguageTag;
  readonly #storage: Storage | null;

  constructor(storage: Storage | null, asked: readonly string[]) {
    this.#storage = storage;
    this.system = preferred(asked);
    this.chosen = languages.find((known) => known === storage?.getItem(KEY)) ?? null;
  }

  async choose(tag: LanguageTag | null): Promise<void> {
    this.chosen = tag;
    if (tag === null) this.#storage?.removeItem(KEY);
    else this.#storage?.setItem(KEY, tag);
    await this.load();
  }

  async load(): Promise<void> {
    const tag = this.chosen ?? this.system;
    this.words = await loaders[tag]();
    this.format = createFormat(tag);
    this.tag = tag;
    document.documentElement.lang = tag;
  }
}
