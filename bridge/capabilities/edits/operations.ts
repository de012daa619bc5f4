// The operations that change files: each turns its input into drafts of one change and answers with what came of it.
import { editsContract } from '#shared/contracts/edits.ts';
import { implement, type Asked, type Call, type Operation } from '../../operation.ts';
import type { Changes } from '../changes/service.ts';
import type { Files } from '../files/service.ts';
import { editDraft, editFile, writeDraft, writeFile } from './file.ts';
import { deleteDraft, deletePath, makeDirectory, moveDraft, movePath } from './path.ts';
import { applyPatch, patchDrafts } from './patching.ts';
import { namedDrafts, replaceInFiles } from './replace.ts';

export function editOperations(changes: Changes, files: Files): Operation[] {
  /** A preview writes nothing, so nothing has to be asked about it. */
  const unlessDry = (input: { dryRun: boolean }, asked: () => Promise<Asked | null>) => (input.dryRun ? Promise.resolve(null) : asked());
  return implement(
    editsContract,
    {
      write_file: (input, call) => writeFile(changes, call, input),
      edit_file: (input, call) => editFile(changes, call, input),
      apply_patch: (input, call) => applyPatch(changes, call, input),
      replace_in_files: (input, call) => replaceInFiles({ changes, files }, call, input),
      delete_path: (input, call) => deletePath(changes, call, input),
      move_path: (input, call) => movePath(changes, call, input),
      make_directory: (input, call) => makeDirectory(changes, call, input.path),
    },
    {
      write_file: (input, call) => changes.asksFor(call, [input.path], () => [writeDraft(input)]),
      edit_file: (input, call) => unlessDry(input, () => changes.asksFor(call, [input.path], () => [editDraft(input)])),
      apply_patch: (input, call) => unlessDry(input, () => askAboutPatch(changes, call, input)),
      replace_in_files: (input, call) => unlessDry(input, () => askAbout(changes, call, namedDrafts(input))),
      // Always looked at: whether it can be taken back lies in the size of what the hash names.
      delete_path: (input, call) => changes.asksAbout(call, input, [deleteDraft(input)]),
      move_path: (input, call) => changes.asksFor(call, [input.path, input.destPath], () => [moveDraft(input)]),
      make_directory: (input, call) => changes.asksFor(call, [input.path], () => [{ kind: 'mkdir', path: input.path }]),
    },
  );
}

async function askAboutPatch(changes: Changes, call: Call, input: Parameters<typeof patchDrafts>[0]): Promise<Asked | null> {
  const drafts = patchDrafts(input);
  return (await changes.mayLose(call.project, drafts)) ? changes.asksAbout(call, input, drafts) : askAbout(changes, call, drafts);
}

const askAbout = (changes: Changes, call: Call, drafts: ReturnType<typeof patchDrafts>): Promise<Asked | null> =>
  changes.asksFor(
    call,
    drafts.map((draft) => draft.path),
    () => drafts,
  );
