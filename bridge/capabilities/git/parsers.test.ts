// What git prints for programs, taken apart: any bytes of a name come through, and no text of a file is taken for git's own.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDiff } from './diff.ts';
import { parseLog } from './log.ts';
import { layerOfRaw, quoted, rawFrom, rawOf, shown, textOf, unquoted } from './names.ts';
import { configText, entriesIn, type Entry } from './settings.ts';
import { parseStatus } from './status.ts';

/** A name in a folder: any bytes but NUL and "/". */
const name = fc
  .uint8Array({ minLength: 1, maxLength: 12 })
  .map((bytes) => Buffer.from(bytes).toString('latin1').replaceAll('\0', 'n').replaceAll('/', 's'))
  .filter((text) => text !== '.' && text !== '..');
const wordy = fc.constantFrom('a', 'b/', ' b/', '"', '\\', '\n', 'diff --git ', 'é').map(rawOf);
const path = fc
  .oneof(
    fc.array(name, { minLength: 1, maxLength: 4 }).map((names) => names.join('/')),
    fc.array(wordy, { minLength: 1, maxLength: 6 }).map((words) =>
      words
        .join('')
        .split('/')
        .filter((one) => one !== '')
        .join('/'),
    ),
  )
  .filter((text) => text !== '' && text.split('/').every((one) => one !== '.' && one !== '..'));
const oid = 'a'.repeat(40);

describe('names', () => {
  it('go out as text and come back as the same bytes', () => {
    fc.assert(
      fc.property(path, (raw) => {
        const text = shown(raw);
        expect(JSON.parse(JSON.stringify(text))).toBe(text);
        if (layerOfRaw(raw) !== null) expect(() => rawFrom(text)).toThrow();
        else expect(rawFrom(text)).toBe(raw);
        expect(unquoted(quoted(raw))).toEqual({ raw, end: quoted(raw).length });
        if (textOf(raw) === null) expect(text).toMatch(/^"[ -~]*"$/);
      }),
    );
  });

  it('of two files are never shown alike', () => {
    fc.assert(fc.property(path, path, (one, other) => (shown(one) === shown(other)) === (one === other)));
  });

  it('cannot leave the project in any spelling', () => {
    const part = fc.constantFrom('..', '.', '', 'a', '\\056\\056', '\\000', '/', '\\057');
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        let raw: string;
        try {
          raw = rawFrom(`"${parts.join('/')}"`);
        } catch {
          return;
        }
        expect(raw.split('/').some((one) => ['', '.', '..'].includes(one)) || raw.includes('\0')).toBe(false);
      }),
    );
  });

  it('of secrets are known also with bytes that are no text', () => {
    for (const raw of ['.env', 'a/.env.\xff', '.\xffssh/x', 'x/id_rsa\xfe', '.g\xffit/x']) expect(layerOfRaw(raw), raw).not.toBeNull();
  });
});

describe('git status', () => {
  const entry = fc.oneof(
    path.map((one) => ({ record: `? ${one}\0`, path: one, from: null as string | null })),
    path.map((one) => ({ record: `1 .M N... 100644 100644 100644 ${oid} ${oid} ${one}\0`, path: one, from: null })),
    path.map((one) => ({ record: `u UU N... 100644 100644 100644 100644 ${oid} ${oid} ${oid} ${one}\0`, path: one, from: null })),
    fc.tuple(path, path).map(([one, from]) => ({
      record: `2 R. N... 100644 100644 100644 ${oid} ${oid} R100 ${one}\0${from}\0`,
      path: one,
      from,
    })),
  );
  it('gives every name as it is, and drops what was cut off', () => {
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 8 }), fc.nat(), (entries, cut) => {
        const text = `# branch.oid ${oid}\0# branch.head a b\0${entries.map(({ record }) => record).join('')}`;
        const whole = parseStatus(text);
        expect(whole.branch).toBe('a b');
        expect(whole.entries.map((one) => [one.path, one.from])).toEqual(entries.map((one) => [one.path, one.from]));
        const part = parseStatus(text.slice(0, cut % (text.length + 1)));
        expect(whole.entries.slice(0, part.entries.length)).toEqual(part.entries);
      }),
    );
  });

  it('of an unknown form is our fault and no answer', () => {
    expect(() => parseStatus('x what\0')).toThrow('unknown form');
    expect(() => parseStatus('1 .M short\0')).toThrow('unknown form');
  });
});

describe('git diff', () => {
  const sided = (side: string, raw: string) => (/^[ !#-[\]-~]*$/.test(raw) ? `${side}/${raw}` : quoted(`${side}/${raw}`));
  const content = fc.array(fc.constantFrom('-- a/x', '++ b/x', '@@ x @@', 'diff --git a/x b/x', '* Unmerged path x', 'x\0y', ''), {
    maxLength: 5,
  });
  const change = fc.tuple(path, content).map(([raw, lines]) => ({
    raw,
    list: `:100644 100644 aaaaaaa 0000000 M\0${raw}\0`,
    patch: `diff --git ${sided('a', raw)} ${sided('b', raw)}\nindex aaaaaaa..bbbbbbb 100644\n--- ${sided('a', raw)}\n+++ ${sided('b', raw)}\n@@ -1 +1 @@\n${lines.map((line) => `+${line}\n`).join('')}`,
    added: lines.length,
  }));
  it('is taken apart by file whatever the files hold', () => {
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 5 }), fc.nat(), (changes, cut) => {
        const text = `${changes.map(({ list }) => list).join('')}\0${changes.map(({ patch }) => patch).join('')}`;
        const parsed = parseDiff(text, false);
        expect(parsed.unknown).toBe(0);
        expect(parsed.changes.map((one) => one.path)).toEqual(changes.map(({ raw }) => raw));
        expect(parsed.sections.map((one) => [one.path, one.text, one.added])).toEqual(
          changes.map(({ raw, patch, added }) => [raw, patch, added]),
        );
        // What is left of one that was cut off is of the same files, each a beginning of what it was.
        const part = parseDiff(text.slice(0, cut % text.length), true);
        for (const [at, { path: name, text: some }] of part.sections.entries())
          expect([name, parsed.sections[at]?.text.startsWith(some)]).toEqual([parsed.sections[at]?.path, true]);
      }),
    );
  });

  it('of a part whose file is not certain gives nothing of it', () => {
    for (const head of ['a/x b/y', 'a/x', '"a/x" b/x', '"a/x" "b/x" ', 'a/x  b/x', '"a/x\\q" "b/x\\q"'])
      expect(parseDiff(`:1 1 a b M\0x\0\0diff --git ${head}\n+secret\n`.replace(':1 1', ':100644 100644'), false)).toMatchObject({
        sections: [],
        unknown: 1,
      });
  });
});

describe('git log', () => {
  it('gives subjects of 300 characters at most, none of them cut in half', () => {
    const [commit] = parseLog(`${oid}\nAda\n2026-01-02T03:04:05+00:00\n${'😀'.repeat(200)}\0`);
    expect(commit).toMatchObject({ sha: oid, author: 'Ada' });
    expect(commit?.subject).toBe('😀'.repeat(150));
    expect(() => parseLog('what\0')).toThrow('unknown form');
  });
});

describe('a configuration', () => {
  it('is written so that it cannot say more than it holds', () => {
    const value = fc
      .array(fc.constantFrom('a', '"', '\\', '\n', '[core]', '#', ';', ' ', '\t', '='), { maxLength: 6 })
      .map((all) => all.join(''));
    const key = fc.constantFrom('core.eol', 'branch.a"b.merge', 'branch.x\\y].merge', 'remote.a.b.fetch');
    fc.assert(
      fc.property(fc.array(fc.tuple(key, value)), (entries) => {
        const text = configText(entries as Entry[]);
        for (const line of text.split('\n'))
          expect(line).toMatch(/^(\[[a-z]+( "(?:[^"\\]|\\["\\])*")?\]|\t[a-z]+ = "(?:[^"\\]|\\["\\nt])*"|)$/);
      }),
    );
    expect(entriesIn('a.b\nc\nd\0e.f\0')).toEqual([
      ['a.b', 'c\nd'],
      ['e.f', null],
    ]);
  });
});
