// Everything the palette can do, as plain items: the same words lead to a screen, a project, a call or an action.

export type PaletteGroup = 'actions' | 'approvals' | 'screens' | 'projects' | 'calls';

export interface PaletteItem {
  id: string;
  group: PaletteGroup;
  title: string;
  /** What stands beside the title and is searched too. */
  more: string;
  /** Whether it needs the bridge to answer. */
  needsLink: boolean;
  run: () => void;
}

const SHOWN_MAX = 40;

export class Palette {
  isOpen = $state(false);
  query = $state('');
  selected = $state(0);
  readonly #all: () => readonly PaletteItem[];
  readonly items: readonly PaletteItem[] = $derived.by(() => (this.isOpen ? rank(this.#all(), this.query).slice(0, SHOWN_MAX) : []));

  constructor(all: () => readonly PaletteItem[]) {
    this.#all = all;
  }

  open(): void {
    this.query = '';
    this.selected = 0;
    this.isOpen = true;
  }

  close(): void {
    this.isOpen = false;
  }

  type(query: string): void {
    this.query = query;
    this.selected = 0;
  }

  move(step: number): void {
    const count = this.items.length;
    if (count > 0) this.selected = (this.selected + step + count) % count;
  }

  run(item: PaletteItem | undefined = this.items[this.selected]): void {
    if (item === undefined) return;
    this.close();
    item.run();
  }
}

/** Items that hold every word of the query: those whose title begins with it first, otherwise in their own order. */
export function rank(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = items.filter((item) => {
    const text = `${item.title} ${item.more}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const first = words[0] ?? '';
  const leads = (item: PaletteItem) => first !== '' && item.title.toLowerCase().startsWith(first);
  return [...fits.filter(leads), ...fits.filter((item) => !leads(item))];
}
