// Puts text on the clipboard, also where the browser offers no clipboard to this page.

/** True when the text is on the clipboard. */
export async function copyText(text: string): Promise<boolean> {
  try {
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text);
      return true;
    }
  } catch (cause) {
    if (!(cause instanceof DOMException)) throw cause;
  }
  return copyBySelection(text);
}

function copyBySelection(text: string): boolean {
  const field = document.createElement('textarea');
  field.value = text;
  field.className = 'quietly';
  const focused = document.activeElement;
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand('copy');
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}

/** `9f41c07e…` of a hash or an id: its first eight characters after the prefix. */
export const shortOf = (id: string): string => id.slice(0, id.indexOf('_') + 9);
