// What an answer "for a while" will cover, told before it is given: what the request changes with any content, or exactly these arguments.
import type { Approval } from '#shared/contracts/approvals.ts';
import { isRecord, readJson } from './facts.ts';

/** The paths that the request names. Folders that it makes or removes count too, and only its summary tells those. */
export type Coverage = { kind: 'paths'; paths: string[] } | { kind: 'arguments' };

/** The operations that change files and nothing else. Of any other one only the exact call is allowed again. */
const ofFiles: ReadonlySet<string> = new Set([
  'write_file',
  'edit_file',
  'apply_patch',
  'replace_in_files',
  'delete_path',
  'move_path',
  'make_directory',
  'apply_changes',
  'rollback_changes',
]);

/** null: it can only be allowed once, because it belongs to no project. */
export function coverageOf({ projectId, operation, files, arguments: text }: Approval): Coverage | null {
  if (projectId === null) return null;
  const named = files.map((file) => file.path);
  const given = readJson(text);
  // A folder is no file of the request; only the arguments name it.
  const said = isRecord(given) ? [given['path'], given['destPath']].filter((path) => typeof path === 'string') : [];
  const paths = [...new Set([...named, ...said.filter((path) => !named.some((name) => name.split(' -> ').includes(path)))])];
  return ofFiles.has(operation) ? { kind: 'paths', paths } : { kind: 'arguments' };
}
