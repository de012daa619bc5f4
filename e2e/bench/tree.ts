// The files that the bench works on: 20,000 generated ones and one real package's sources, the same bytes on every run.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const FILES = 20_000;
const PER_FOLDER = 100;
const LINES = 100;
/** Stands in one file of a thousand. */
export const NEEDLE = 'drawbridgeNeedle';

/** A small generator with a fixed seed (mulberry32), so that the tree is the same everywhere. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const words = ['account', 'balance', 'cents', 'total', 'line', 'price', 'quantity', 'render', 'update', 'index', 'value', 'result'];

function text(random: () => number, n: number): string {
  const pick = () => words[Math.floor(random() * words.length)] ?? '';
  const lines = Array.from(
    { length: LINES },
    (_, line) => `const ${pick()}${line} = ${pick()}(${pick()}, ${Math.floor(random() * 1000)});`,
  );
  if (n % 1000 === 0) lines[50] = `const ${NEEDLE} = ${n};`;
  return `${lines.join('\n')}\n`;
}

/** Paths below the tree, relative to it. */
export const pathOf = (n: number): string => `src/part${Math.floor(n / PER_FOLDER)}/file${n % PER_FOLDER}.ts`;

/** Writes the tree into an empty folder. */
export function plant(root: string, realPackage: string): void {
  const random = seeded(7);
  for (let n = 0; n < FILES; n += 1) {
    if (n % PER_FOLDER === 0) mkdirSync(join(root, `src/part${n / PER_FOLDER}`), { recursive: true });
    writeFileSync(join(root, pathOf(n)), text(random, n));
  }
  cpSync(realPackage, join(root, 'real'), { recursive: true, dereference: false });
}
