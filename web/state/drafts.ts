// What was typed and not sent yet, by name. It survives a reload of the page, and nothing else.

export class Drafts {
  readonly #storage: Storage | null;

  constructor(storage: Storage | null) {
    this.#storage = storage;
  }

  get(name: string): string {
    return this.#storage?.getItem(`drawbridge.draft:${name}`) ?? '';
  }

  set(name: string, text: string): void {
    if (text === '') this.#storage?.removeItem(`drawbridge.draft:${name}`);
    else this.#storage?.setItem(`drawbridge.draft:${name}`, text);
  }
}
