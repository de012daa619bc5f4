// The keys that work on every screen. A key that types something is left to the field it is typed into.
import type { Parts } from '../../parts.ts';

export function onKey(parts: Parts, event: KeyboardEvent): void {
  if (event.defaultPrevented || event.isComposing) return;
  if ((event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 'k') {
    event.preventDefault();
    parts.palette.open();
    return;
  }
  if (parts.palette.isOpen || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === 'Escape') escape(parts, event);
  else if (isTyping(event.target)) return;
  else if (event.key === '/') search(parts, event);
  else if (event.key === 'ArrowDown' && isIdle(event.target)) enterList(event);
}

function escape({ router }: Parts, event: KeyboardEvent): void {
  // The first Esc leaves a field, the next one closes what is open.
  if (isTyping(event.target) && event.target instanceof HTMLElement) return event.target.blur();
  router.close();
}

function search({ router }: Parts, event: KeyboardEvent): void {
  event.preventDefault();
  if (router.route.screen !== 'activity') router.go({ screen: 'activity', open: null, query: {} });
  router.wish = 'search';
}

function enterList(event: KeyboardEvent): void {
  const row = document.querySelector<HTMLElement>('main [data-index="0"]');
  if (row === null) return;
  event.preventDefault();
  row.focus();
}

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && target.matches('input:not([type="checkbox"], [type="radio"]), textarea, select, [contenteditable]');

/** Nothing that has a use for the arrow keys has the focus. */
const isIdle = (target: EventTarget | null): boolean =>
  target === document.body || (target instanceof HTMLElement && target.matches('main, h1, h2'));
