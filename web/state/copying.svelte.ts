// Whether a text was copied a moment ago, for the button that did it.

const SHOWN_MS = 1600;

export class Copying {
  state = $state<'idle' | 'copied' | 'failed'>('idle');
  readonly #copy: (text: string) => Promise<boolean>;

  constructor(copy: (text: string) => Promise<boolean>) {
    this.#copy = copy;
  }

  async copy(text: string): Promise<void> {
    this.state = (await this.#copy(text)) ? 'copied' : 'failed';
    setTimeout(() => (this.state = 'idle'), SHOWN_MS);
  }
}
