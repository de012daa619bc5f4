// What a terminal would show of a program's output, as plain text: escapes have no effect and no place in it, and a line that was written over is shown once.

// CSI, OSC and the other string sequences (also unfinished ones at the end), then two-character escapes.
const ESCAPES = new RegExp(
  [
    '\\u001b\\[[0-?]*[ -/]*(?:[@-~]|$)',
    '\\u001b[\\]PX^_][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\|$)',
    '\\u001b[ -/]*(?:[0-~]|$)',
    '\\u009b[0-?]*[ -/]*[@-~]',
  ].join('|'),
  'g',
);
const CONTROLS = new RegExp('[\\u0000-\\u0007\\u000b\\u000c\\u000e-\\u001f\\u007f]', 'g');

/** The text as it would stand there at the end. Pure; work grows with the text alone. */
export function terminalText(raw: string): string {
  return raw
    .replace(ESCAPES, '')
    .replace(CONTROLS, '')
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => (line.includes('\r') || line.includes('\b') ? written(line) : line))
    .join('\n');
}

/** A carriage return goes to the beginning of the line, a backspace one back; what follows takes the place of what was there. */
function written(line: string): string {
  const cells: string[] = [];
  let at = 0;
  for (const character of line) {
    if (character === '\r') at = 0;
    else if (character === '\b') at = Math.max(0, at - 1);
    else cells[at++] = character;
  }
  return cells.join('');
}
