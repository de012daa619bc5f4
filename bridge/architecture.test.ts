// The rules of the house that no compiler knows: the rings, first lines, names, the map, and what a browser may be given.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import extractConfig from 'dependency-cruiser/config-utl/extract-depcruise-options';
import extractTypeScript from 'dependency-cruiser/config-utl/extract-ts-config';
import { describe, expect, it } from 'vitest';
import { contracts } from '#shared/contracts.ts';
import { approvalsContract } from '#shared/contracts/approvals.ts';
import { changesContract } from '#shared/contracts/changes.ts';
import { clientsContract } from '#shared/contracts/clients.ts';
import { discoveryContract } from '#shared/contracts/discovery.ts';
import { editsContract } from '#shared/contracts/edits.ts';
import { filesContract } from '#shared/contracts/files.ts';
import { environmentContract } from '#shared/contracts/environment.ts';
import { gitContract } from '#shared/contracts/git.ts';
import { jobsContract } from '#shared/contracts/jobs.ts';
import { notesContract } from '#shared/contracts/notes.ts';
import { grantsContract } from '#shared/contracts/grants.ts';
import { ownerContract } from '#shared/contracts/owner.ts';
import { projectsContract } from '#shared/contracts/projects.ts';
import { settingsContract } from '#shared/contracts/settings.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const tracked = execFileSync('git', ['-C', root, 'ls-files', '-z'], { encoding: 'utf8' })
  .split('\0')
  .filter((path) => existsSync(join(root, path)) && path !== '');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const isSource = (path: string): boolean => /^(shared|bridge|web|e2e)\/.*\.(ts|mjs|svelte)$/.test(path) && !path.endsWith('.d.ts');
const sources = tracked.filter(isSource);

async function cruiseAll(): Promise<ICruiseResult> {
  const options = await extractConfig(join(root, '.dependency-cruiser.mjs'));
  const folders = ['shared', 'bridge', 'web', 'e2e'].filter((folder) => existsSync(join(root, folder)));
  const { output } = await cruise(
    folders,
    { ...options, baseDir: root, validate: true },
    {},
    { tsConfig: extractTypeScript(join(root, 'tsconfig.json')) },
  );
  return output as ICruiseResult;
}

describe('rings', () => {
  const cruised = cruiseAll();

  it('hold in the whole graph', { timeout: 120_000 }, async () => {
    const { violations } = (await cruised).summary;
    expect(violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
  });

  it('were checked over every source file', { timeout: 120_000 }, async () => {
    const seen = new Set((await cruised).modules.map(({ source }) => source));
    expect(sources.filter((path) => !seen.has(path))).toEqual([]);
  });

  // Put together here, so that this file does not hold what it looks for.
  const suppressions = [
    'eslint-' + 'disable',
    '@ts-' + 'ignore',
    '@ts-' + 'expect-error',
    '@ts-' + 'nocheck',
    'prettier-' + 'ignore',
    'depcruise-' + 'ignore',
  ];
  it('are suppressed nowhere, and no test is left out', () => {
    for (const path of sources) {
      const text = read(path);
      expect([path, suppressions.filter((mark) => text.includes(mark))]).toEqual([path, []]);
      if (path.endsWith('.test.ts')) expect([path, /\b(?:it|test|describe)\.(?:skip|only|todo|fails)\b/.test(text)]).toEqual([path, false]);
    }
  });
});

describe('files', () => {
  it('open with one line that says what they are for', () => {
    const opens = (path: string) =>
      (path.endsWith('.svelte') ? /^<!-- .{20,} -->$/ : /^\/\/ .{20,}[.:)]$/).test(read(path).split('\n')[0] ?? '');
    expect(sources.filter((path) => !opens(path))).toEqual([]);
  });

  it('name no place on a machine', () => {
    const places = /\/root\/|\/Users\/[a-z]+\//;
    for (const path of sources.filter((source) => !source.endsWith('.test.ts')))
      expect([path, places.test(read(path))]).toEqual([path, false]);
  });
});

describe('operations', () => {
  it('have names of their own across all areas', () => {
    const areas = [
      projectsContract,
      discoveryContract,
      filesContract,
      editsContract,
      changesContract,
      approvalsContract,
      grantsContract,
      settingsContract,
      clientsContract,
      ownerContract,
      notesContract,
      jobsContract,
      gitContract,
      environmentContract,
    ];
    const names = areas.flatMap((area) => Object.keys(area));
    expect(new Set(names).size).toBe(names.length);
    expect(Object.keys(contracts).sort()).toEqual([...names].sort());
  });

  it('each say what they do', () => {
    for (const [name, { title, summary }] of Object.entries(contracts)) {
      expect(name).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect([name, title.length > 3, /^[A-Z].{20,}\.$/s.test(summary)]).toEqual([name, true, true]);
    }
  });
});

describe('README', () => {
  it('names every folder that holds sources, and no path that is not there', () => {
    const map = read('README.md');
    const folders = new Set(sources.map((path) => dirname(path)));
    // A folder below one that holds a kind of thing (a screen, a language) is spoken for by that one.
    const collecting = ['.', 'bridge', 'bridge/base', 'bridge/capabilities', 'web'];
    const isNamed = (folder: string): boolean =>
      collecting.includes(folder) || map.includes(`\`${folder}/\``) || (!collecting.includes(dirname(folder)) && isNamed(dirname(folder)));
    expect([...folders].filter((folder) => !isNamed(folder))).toEqual([]);
    const named = map.match(/`(?:shared|bridge|web|e2e)\/[\w./-]*`/g) ?? [];
    expect(named.map((path) => path.slice(1, -1)).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

describe('built console', () => {
  it('holds no Node module and no source of another origin', () => {
    const built = join(root, 'dist', 'web');
    expect(existsSync(join(built, 'index.html')), 'the console is built before the tests').toBe(true);
    const scripts = readdirSync(join(built, 'assets')).filter((name) => name.endsWith('.js'));
    expect(scripts.length).toBeGreaterThan(0);
    for (const name of scripts) {
      const text = readFileSync(join(built, 'assets', name), 'utf8');
      expect([name, /\bfrom\s*["']node:|\bimport\s*\(?\s*["'](?:node:|https?:)|\brequire\(["']/.test(text)]).toEqual([name, false]);
    }
    const page = readFileSync(join(built, 'index.html'), 'utf8');
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|style=|(?:src|href)=["'](?:https?:)?\/\//);
  });
});
