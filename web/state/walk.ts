// Arrow keys walk a list. Rows carry `data-index`; a long list reveals a row that is not drawn before it gets the focus.

export interface Walk {
  /** How many rows there are; the drawn ones when it is left out. */
  count?: () => number;
  /** Brings a row into view and draws it. */
  reveal?: (index: number) => Promise<void>;
}

const PAGE_ROWS = 12;

/** An attachment for the element around the rows. */
export function walks(walk: Walk = {}) {
  return (list: HTMLElement) => {
    const onKey = (event: KeyboardEvent) => void step(list, event, walk);
    list.addEventListener('keydown', onKey);
    return () => list.removeEventListener('keydown', onKey);
  };
}

/** Where a key leads from a row; null when it is no key for walking. */
export function target(key: string, from: number, count: number): number | null {
  const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: PAGE_ROWS, PageUp: -PAGE_ROWS, Home: -count, End: count };
  const by = steps[key];
  return by === undefined || count === 0 ? null : Math.min(count - 1, Math.max(0, from + by));
}

async function step(list: HTMLElement, event: KeyboardEvent, walk: Walk): Promise<void> {
  const row = (event.target as HTMLElement).closest<HTMLElement>('[data-index]');
  // What stands inside a row has its own use for the keys.
  if (row === null || row !== event.target || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const count = walk.count?.() ?? list.querySelectorAll('[data-index]').length;
  const to = target(event.key, Number(row.dataset['index']), count);
  if (to === null) return;
  event.preventDefault();
  await walk.reveal?.(to);
  list.querySelector<HTMLElement>(`[data-index="${to}"]`)?.focus();
}
