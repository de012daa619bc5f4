// The changed files of a repository, out of what git prints for programs: records ended by NUL, names as plain bytes.
import type { RawPath } from './names.ts';

export interface RawEntry {
  /** From the top of the repository. */
  path: RawPath;
  status: string;
  from: RawPath | null;
  /** A submodule, or an untracked folder with a repository in it. */
  isRepository: boolean;
}

export interface RawStatus {
  branch: string | null;
  head: string | null;
  upstream: string | null;
  ahead: number | null;
  behind: number | null;
  entries: RawEntry[];
}

/** How many fields, each ended by a space, stand before the name. */
const fieldsBefore: Readonly<Record<string, number>> = { '1': 8, '2': 9, u: 10, '?': 1 };

/** `text` is porcelain v2 with -z, one character a byte. An incomplete record at its end is left out; a strange one throws. */
export function parseStatus(text: string): RawStatus {
  const status: RawStatus = { branch: null, head: null, upstream: null, ahead: null, behind: null, entries: [] };
  const records = text.split('\0').slice(0, -1);
  for (let at = 0; at < records.length; at += 1) {
    const record = records[at] ?? '';
    if (record.startsWith('# ')) header(status, record.slice(2));
    else if (record.startsWith('2 ')) {
      const from = records[(at += 1)];
      if (from !== undefined) status.entries.push({ ...entry(record), from });
    } else if (!record.startsWith('! ')) status.entries.push(entry(record));
  }
  return status;
}

function header(status: RawStatus, text: string): void {
  const [name, ...rest] = text.split(' ');
  const value = rest.join(' ');
  if (name === 'branch.oid') status.head = value === '(initial)' ? null : value;
  else if (name === 'branch.head') status.branch = value === '(detached)' ? null : value;
  else if (name === 'branch.upstream') status.upstream = value;
  else if (name === 'branch.ab') {
    const counts = /^\+(\d+) -(\d+)$/.exec(value);
    if (counts !== null) Object.assign(status, { ahead: Number(counts[1]), behind: Number(counts[2]) });
  }
}

function entry(record: string): RawEntry {
  const kind = record[0] ?? '';
  const fields = fieldsBefore[kind];
  const name = fields === undefined ? null : afterSpaces(record, fields);
  if (name === null || name === '') throw new Error('git status printed a record of an unknown form.');
  if (kind === '?') return { path: name.replace(/\/$/, ''), status: '??', from: null, isRepository: name.endsWith('/') };
  return { path: name, status: record.slice(2, 4), from: null, isRepository: record[5] === 'S' };
}

function afterSpaces(record: string, count: number): string | null {
  let at = 0;
  for (let passed = 0; passed < count; passed += 1) {
    at = record.indexOf(' ', at) + 1;
    if (at === 0) return null;
  }
  return record.slice(at);
}
