// Undo over any row of changes: the bytes come back exactly, and no change loses what was not its own.
import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { edit, text, undo } from '../../testing/deeds.ts';
import { desk, type Desk } from '../../testing/desk.ts';

describe('properties', () => {
  const names = ['a', 'b', 'c'];
  const step = fc.record({
    line: fc.nat(9),
    word: fc.constantFrom('x', 'y', 'z'),
    file: fc.constantFrom(...names),
    undoes: fc.nat(12),
    isUndo: fc.boolean(),
  });

  it('an edit and its undo give the same bytes, for any bytes of text', async () => {
    const line = fc.tuple(fc.constantFrom('a', 'bb', 'é', ''), fc.constantFrom('\n', '\r\n', '\r'));
    await using at = await desk();
    const content = fc.array(line, { maxLength: 8 }).map((lines) => lines.map(([word, ending]) => word + ending).join(''));
    await fc.assert(
      fc.asyncProperty(content, content, async (head, tail) => {
        const before = Buffer.from(`${head}<mark>${tail}`);
        writeFileSync(at.ws.path('f'), before);
        await undo(at, await edit(at, 'f', ['<mark>', '<new\nlines>']));
        expect(at.ws.bytes('f')).toEqual(before);
      }),
      { numRuns: 25 },
    );
  });

  /**
   * The model: each change puts its own unique word on one line of one file. After any row of changes and undos, a file
   * holds exactly the words of the changes that stand; an undo that is refused changes nothing.
   */
  it('any row of changes and undos keeps exactly the words of the changes that stand', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 12 }), async (steps) => {
        const start = Array.from({ length: 10 }, (_unused, index) => `line ${index}:`);
        await using at = await desk({ files: Object.fromEntries(names.map((name) => [name, `${start.join('\n')}\n`])) });
        const changes: { id: string; word: string; stands: boolean; reverts?: number }[] = [];
        for (const [index, { line, word, file, undoes, isUndo }] of steps.entries()) {
          const target = changes[undoes % Math.max(1, changes.length)];
          if (isUndo && target !== undefined) await undoInModel(at, changes, changes.indexOf(target));
          else {
            const mark = `<${word}${index}>`;
            changes.push({ id: await edit(at, file, [`line ${line}:`, `line ${line}:${mark}`]), word: mark, stands: true });
          }
          const all = names.map((name) => text(at, name)).join('');
          for (const change of changes) if (change.word !== '') expect(all.includes(change.word)).toBe(change.stands);
        }
      }),
      { numRuns: 15 },
    );
  });

  async function undoInModel(at: Desk, changes: { id: string; word: string; stands: boolean; reverts?: number }[], index: number) {
    const change = changes[index];
    if (change === undefined) return;
    const before = at.snapshot();
    try {
      const { data } = await undo(at, change.id);
      let root = index;
      while (changes[root]?.reverts !== undefined) root = changes[root]?.reverts as number;
      const origin = changes[root];
      if (origin !== undefined) origin.stands = !origin.stands;
      changes.push({ id: data.changesetId, word: '', stands: true, reverts: index });
    } catch (error) {
      expect((error as { code: string }).code).toBe('CONFLICT');
      expect(at.snapshot()).toEqual(before);
    }
  }
});
