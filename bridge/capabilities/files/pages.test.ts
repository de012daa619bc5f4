// Searching over several pages and in a tree that changes: one order, no gap, nothing stale, and no byte from outside.
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { rgPath } from '@vscode/ripgrep';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { testFiles, type FileAnswer } from '../../testing/files.ts';
import { workspace } from '../../testing/workspace.ts';

type Search = FileAnswer<'search_code'>['data'];
const places = ({ matches }: Search) => matches.map(({ path, line, column }) => `${path}:${line}:${column}`);

describe('pages', () => {
  const many = Object.fromEntries(Array.from({ length: 7 }, (_, at) => [`f${at}.ts`, 'x\ny\nx\nx\n']));

  it('B28 go on by a cursor, in one order, without a gap or a repeat', async () => {
    await using ws = await workspace(many);
    const { call } = testFiles(ws);
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const { data, nextCursor, truncated } = await call('search_code', {
        query: 'x',
        maxResults: 4,
        ...(cursor === undefined ? {} : { cursor }),
      });
      expect(data.totalMatches).toBe(21);
      expect(truncated).toBe(nextCursor !== undefined);
      seen.push(...places(data));
      cursor = nextCursor;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 7 }, (_, at) => [1, 3, 4].map((line) => `f${at}.ts:${line}:1`)).flat());
  });

  it('go on by file as well', async () => {
    await using ws = await workspace(many);
    const { call } = testFiles(ws);
    const first = await call('search_code', { query: 'x', outputMode: 'files', maxResults: 5 });
    const second = await call('search_code', { query: 'x', outputMode: 'files', maxResults: 5, cursor: first.nextCursor! });
    expect([...first.data.files, ...second.data.files].map(({ path }) => path)).toEqual(Object.keys(many));
    expect(second.nextCursor).toBeUndefined();
  });

  it('have a cursor that works once, for its caller, its question and a short time', async () => {
    await using ws = await workspace(many);
    let later = 0;
    const clock = { ...systemClock(), monotonic: () => performance.now() + later };
    const { call, refusal } = testFiles(ws, clock);
    const question = { query: 'x', maxResults: 4 };
    const next = async () => (await call('search_code', question)).nextCursor!;
    const used = await next();
    await call('search_code', { ...question, cursor: used });
    expect((await refusal('search_code', { ...question, cursor: used })).code).toBe('INVALID_INPUT');
    expect((await refusal('search_code', { query: 'y', maxResults: 4, cursor: await next() })).code).toBe('INVALID_INPUT');
    expect((await refusal('search_code', { ...question, cursor: 'cur_made_up' })).code).toBe('INVALID_INPUT');
    const foreign = await next();
    const caller = { kind: 'client', principal: 'token:other', name: 'Other', scopes: new Set(['read']), projectIds: null } as const;
    await expect(
      call('search_code', { ...question, cursor: foreign }, { caller: { ...caller, scopes: new Set(['read']) } }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(
      call('search_code', { ...question, cursor: foreign }, { project: { ...ws.project, epoch: 'later' } }),
    ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await call('search_code', { ...question, cursor: foreign })).data.matches).toHaveLength(4);
    const old = await next();
    later = 6 * 60 * 1000;
    expect((await refusal('search_code', { ...question, cursor: old })).code).toBe('INVALID_INPUT');
  });

  it('B28 stay small when there are 50,000 matches, and count all of them', async () => {
    const line = `needle ${'x'.repeat(80)}\n`;
    await using ws = await workspace(
      Object.fromEntries(Array.from({ length: 50 }, (_, at) => [`d${at % 5}/f${at}.txt`, line.repeat(1000)])),
    );
    const { data, nextCursor } = await testFiles(ws).call('search_code', { query: 'needle', maxResults: 100, contextLines: 10 });
    expect(data).toMatchObject({ outcome: 'matches', totalMatches: 50_000, totalIsComplete: true, filesSearched: 50 });
    expect(Buffer.byteLength(JSON.stringify(data))).toBeLessThan(32 * 1024);
    expect(nextCursor).toBeDefined();
  });
});

describe('S08 between the listing and the answer', () => {
  it.each(['content', 'count'] as const)(
    'shows nothing of files whose folder becomes a link at any moment of the search (%s)',
    async (outputMode) => {
      const outcomes: Search[] = [];
      for (let moment = 1; moment <= 6; moment += 1) {
        // The ignored file keeps the folder from being searched as a whole: each file is named to ripgrep, which follows such a path.
        await using ws = await workspace({
          '.gitignore': '*.log',
          'src/x.log': '',
          'src/a.txt': 'needle mine',
          'src/b.txt': 'needle mine',
        });
        mkdirSync(`${ws.outside}/src`);
        for (const name of ['a.txt', 'b.txt']) writeFileSync(`${ws.outside}/src/${name}`, 'needle CANARY');
        const past = new Date(Date.now() - 60_000);
        for (const path of ['src', '.gitignore', '.']) utimesSync(ws.path(path), past, past);
        let untilSwap = Infinity;
        const monotonic = () => {
          untilSwap -= 1;
          if (untilSwap === 0) {
            renameSync(ws.path('src'), ws.path('.kept'));
            symlinkSync(`${ws.outside}/src`, ws.path('src'));
          }
          return performance.now();
        };
        const { call } = testFiles(ws, { ...systemClock(), monotonic });
        expect((await call('search_code', { query: 'needle', outputMode })).data.totalMatches).toBe(2);
        untilSwap = moment;
        outcomes.push((await call('search_code', { query: 'needle', outputMode })).data);
        if (untilSwap <= 0)
          expect(spawnSync(rgPath, ['needle', 'src/a.txt'], { cwd: ws.root, encoding: 'utf8' }).stdout).toContain('CANARY');
      }
      expect(JSON.stringify(outcomes)).not.toContain('CANARY');
      // At one moment at least ripgrep did read the outside files, and what it said of them was thrown away.
      expect(outcomes.map(({ totalMatches, skipped }) => `${totalMatches}/${skipped.special}`)).toContain('0/2');
    },
  );

  it('sees every change that was made before the search began', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('add', 'edit', 'remove', 'rename', 'ignore', 'folder', 'binary', 'text', 'flatten'), {
          minLength: 1,
          maxLength: 5,
        }),
        async (steps) => {
          await using ws = await workspace({ 'src/a.txt': 'needle', 'src/deep/b.txt': 'needle', 'c.txt': 'other' });
          const warm = testFiles(ws);
          await warm.call('search_code', { query: 'needle' });
          for (const [at, step] of steps.entries()) {
            if (step === 'add') ws.write(`new/${at}.txt`, 'needle');
            if (step === 'edit') ws.write('c.txt', `needle ${at}`);
            if (step === 'remove' && ws.list().includes('src/a.txt')) rmSync(ws.path('src/a.txt'));
            if (step === 'rename' && ws.list().includes('src/deep/b.txt')) renameSync(ws.path('src/deep/b.txt'), ws.path(`b${at}.txt`));
            if (step === 'ignore') ws.write('.gitignore', at % 2 === 0 ? 'new/*\n' : 'c.txt\n');
            if (step === 'folder') ws.write(`more${at}/x/y.txt`, 'needle');
            if (step === 'binary') ws.write('c.txt', Buffer.from('needle\0'));
            if (step === 'text') ws.write('c.txt', 'needle');
            if (step === 'flatten') {
              rmSync(ws.path('src'), { recursive: true, force: true });
              if (at % 2 === 0) writeFileSync(ws.path('src'), 'needle');
            }
            const fresh = await testFiles(ws).call('search_code', { query: 'needle' });
            expect((await warm.call('search_code', { query: 'needle' })).data).toEqual(fresh.data);
          }
        },
      ),
      { numRuns: 6 },
    ));
});
