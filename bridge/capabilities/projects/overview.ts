// What a project looks like at first sight, from its file list alone: nothing of the project is run.
import type { TreeEntry } from '#shared/contracts/projects.ts';
import type { z } from 'zod';

type Entry = z.infer<typeof TreeEntry>;
export interface ListedFile {
  path: string;
  size: number;
}

const TREE_DEPTH = 2;
const TREE_MAX = 200;
const LANGUAGES_MAX = 12;

const manifestNames = new Set([
  'package.json',
  'pnpm-workspace.yaml',
  'deno.json',
  'tsconfig.json',
  'pyproject.toml',
  'requirements.txt',
  'setup.py',
  'Cargo.toml',
  'go.mod',
  'pom.xml',
  'build.gradle',
  'build.gradle.kts',
  'Gemfile',
  'composer.json',
  'CMakeLists.txt',
  'Makefile',
  'Dockerfile',
  'mix.exs',
  'Package.swift',
]);

const languageOf: Record<string, string> = {
  ts: 'TypeScript',
  tsx: 'TypeScript',
  mts: 'TypeScript',
  cts: 'TypeScript',
  js: 'JavaScript',
  jsx: 'JavaScript',
  mjs: 'JavaScript',
  cjs: 'JavaScript',
  svelte: 'Svelte',
  vue: 'Vue',
  py: 'Python',
  rs: 'Rust',
  go: 'Go',
  java: 'Java',
  kt: 'Kotlin',
  c: 'C',
  h: 'C',
  cc: 'C++',
  cpp: 'C++',
  hpp: 'C++',
  cs: 'C#',
  rb: 'Ruby',
  php: 'PHP',
  swift: 'Swift',
  sh: 'Shell',
  sql: 'SQL',
  html: 'HTML',
  css: 'CSS',
  md: 'Markdown',
};

/** Manifests in the first two levels, in path order. */
export const manifestsIn = (files: readonly ListedFile[]): string[] =>
  files
    .map((file) => file.path)
    .filter((path) => path.split('/').length <= TREE_DEPTH && manifestNames.has(path.slice(path.lastIndexOf('/') + 1)))
    .sort();

/** Languages by number of files, the most used first. */
export function languagesIn(files: readonly ListedFile[]): { language: string; files: number }[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const language = languageOf[path.slice(path.lastIndexOf('.') + 1)];
    if (language !== undefined) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  return [...counts]
    .map(([language, count]) => ({ language, files: count }))
    .sort((a, b) => b.files - a.files || a.language.localeCompare(b.language))
    .slice(0, LANGUAGES_MAX);
}

/** The first two levels; `isCut` when there was more than fits. */
export function shallowTree(files: readonly ListedFile[]): { tree: Entry[]; isCut: boolean } {
  const entries = new Map<string, Entry>();
  for (const { path, size } of files) {
    const names = path.split('/');
    for (let depth = 1; depth <= Math.min(names.length, TREE_DEPTH); depth += 1) {
      const prefix = names.slice(0, depth).join('/');
      const isFile = depth === names.length;
      entries.set(prefix, { path: prefix, kind: isFile ? 'file' : 'directory', size: isFile ? size : null });
    }
  }
  const tree = [...entries.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { tree: tree.slice(0, TREE_MAX), isCut: tree.length > TREE_MAX };
}
