// What the owner is asked about a commit: its branch, every file with its diff, and each program that would run, all bound by hash.
import type { AskedFile } from '#shared/contracts/approvals.ts';
import { counted } from '#shared/counted.ts';
import { sha256 } from '../../base/digest.ts';
import type { Asked } from '../../operation.ts';
import type { Section } from './diff.ts';
import type { Hook } from './hooks.ts';
import { below, looseText, shown, type RawPath } from './names.ts';
import type { CommitWish, Committed, Plan } from './plan.ts';

const DIFF_CHARACTERS = 8 * 1024;
const DIFFS_CHARACTERS = 128 * 1024;
const HOOK_CHARACTERS = 4 * 1024;

interface Shown {
  prefix: RawPath;
  sections: readonly Section[];
}

export function askedOf(plan: Plan, wish: CommitWish, { prefix, sections }: Shown): Asked {
  const branch = looseText(plan.ref.slice('refs/heads/'.length));
  const subject = wish.message.trim().split('\n', 1)[0] ?? '';
  const paths = plan.files.map(({ path }) => shown(below(prefix, path) ?? path));
  const { hooks } = plan;
  return {
    summary: `Commit ${counted(plan.files.length, 'file')} on ${branch}: ${JSON.stringify(subject.slice(0, 120))}`,
    reasons: reasonsOf(plan, prefix !== ''),
    files: [branchFile(plan), ...diffs(plan, { prefix, sections }), ...hooks.map(hookFile)],
    touches: { paths, ...(hooks.length === 0 ? {} : { program: programOf(hooks) }) },
  };
}

function reasonsOf({ hooks, skipped, identity, isUnsigned }: Plan, isParent: boolean): string[] {
  return [
    'A commit is not taken back by undo; the owner can go back to the commit before it with git.',
    ...hooks.map(({ name }) => `The hook ${name} runs with all rights of this account; it can change files and start other programs.`),
    ...(skipped.length === 0 ? [] : [`The checks of the repository are skipped: ${skipped.map(({ name }) => name).join(', ')}.`]),
    ...(identity.isOfRepository ? [`The repository’s own settings say who commits: ${identity.name} <${identity.email}>.`] : []),
    ...(isUnsigned ? ['The settings sign commits; this one is not signed.'] : []),
    ...(isParent ? ['The repository is a parent folder of the project.'] : []),
  ];
}

/** Binds the answer to the commit before and to all of the content after. */
const branchFile = ({ ref, head, tree }: Plan): AskedFile => ({
  path: `.git/${looseText(ref)}`,
  beforeHash: head === null ? null : sha256(head),
  afterHash: sha256(tree),
  diff: `-${head ?? 'no commit yet'}\n+a commit of tree ${tree}\n`,
});

function diffs({ files }: Plan, { prefix, sections }: Shown): AskedFile[] {
  const byPath = grouped(sections);
  let left = DIFFS_CHARACTERS;
  return files.map((file) => {
    const whole = (byPath.get(file.path) ?? []).map(({ text }) => looseText(text)).join('');
    const diff = whole.slice(0, Math.min(DIFF_CHARACTERS, left));
    left -= diff.length;
    const rest = whole.length - diff.length;
    const note = rest > 0 || whole === '' ? `\n… ${rest > 0 ? `${rest} more characters` : 'too much to show'}\n` : '';
    return { path: shown(below(prefix, file.path) ?? file.path), ...hashesOf(file), diff: diff + note };
  });
}

/** Git's own ids name the content; an answer is bound by SHA-256 of them. */
const hashesOf = ({ before, after }: Committed) => ({
  beforeHash: before === null ? null : sha256(before),
  afterHash: after === null ? null : sha256(after),
});

function hookFile({ label, hash, text }: Hook): AskedFile {
  const lines = text.slice(0, HOOK_CHARACTERS).split('\n');
  return { path: label, beforeHash: hash, afterHash: hash, diff: lines.map((line) => ` ${line}`).join('\n') };
}

/** A grant for such a commit holds for hooks of these very bytes. */
const programOf = (hooks: readonly Hook[]): string =>
  `hooks ${hooks.map(({ name }) => name).join(' ')} ${sha256(hooks.map(({ hash }) => hash).join()).slice(0, 16)}`;

function grouped(sections: readonly Section[]): Map<RawPath, Section[]> {
  const groups = new Map<RawPath, Section[]>();
  for (const section of sections) groups.set(section.path, [...(groups.get(section.path) ?? []), section]);
  return groups;
}

/** All that a commit depends on, as one text: equal when what was asked about is what would be done. */
export const boundTo = ({ ref, head, tree, hooks, skipped, identity }: Plan): string =>
  sha256(JSON.stringify([ref, head, tree, [...hooks, ...skipped].map(({ name, hash }) => [name, hash]), identity]));
