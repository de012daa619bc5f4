// The file operations: each hands its input to the service and says in one line what came of it.
import { counted } from '#shared/counted.ts';
import { filesContract } from '#shared/contracts/files.ts';
import type { Failure } from '#shared/failure.ts';
import { Failed } from '../../failed.ts';
import { implement, type Call, type Operation } from '../../operation.ts';
import { joinSearches } from './join.ts';
import type { ReadText, ReadWish } from './read.ts';
import type { Files } from './service.ts';

export function fileOperations(files: Files): Operation[] {
  const operations = implement(filesContract, {
    async list_files(input, call) {
      const { data, ...more } = await files.list(call, input);
      return { data, ...more, brief: `Listed ${counted(data.entryCount, 'entry', 'entries')} of ${data.path}` };
    },
    read_files: (input, call) => readAll(files, call, input.files),
    async read_image(input, call) {
      const { bytes, ...known } = await files.readImage(call, input.path, input.maxBytes);
      const images = [{ data: bytes.toString('base64'), mimeType: known.mimeType }];
      return { data: { ...known, bytes: bytes.length }, images, brief: `Looked at ${known.path}` };
    },
    async read_instructions(input, call) {
      const { data, warnings } = await files.readInstructions(call, input.maxBytesPerFile);
      const truncated = warnings.length > 0 || data.files.some((file) => file.truncated);
      return { data, warnings, truncated, brief: `Read ${counted(data.files.length, 'instruction file')}` };
    },
    async search_code(input, call) {
      const { data, warnings, nextCursor } = await files.search(call, input);
      const truncated = nextCursor !== null || !data.totalIsComplete;
      const brief = `“${input.query}”: ${counted(data.totalMatches, 'match', 'matches')} in ${counted(data.filesSearched, 'file')} searched`;
      return { data, warnings, truncated, brief, ...(nextCursor === null ? {} : { nextCursor }) };
    },
    async glob_files(input, call) {
      const { data, ...more } = await files.glob(call, input);
      return { data, ...more, brief: `“${input.pattern}”: ${counted(data.count, 'file')}` };
    },
  });
  return operations.map((one) => (one.name === 'search_code' ? { ...one, join: joinSearches } : one));
}

/** Every file gets an equal share of what is left of the answer, so that a long one leaves room for the others. */
async function readAll(files: Files, call: Call, wishes: readonly ReadWish[]) {
  const read: ReadText[] = [];
  const errors: { path: string; error: Failure }[] = [];
  let left = files.limits.answerBytes;
  for (const [at, wish] of wishes.entries()) {
    const share = Math.max(SHARE_BYTES, Math.floor(left / (wishes.length - at)));
    try {
      const one = await files.readText(call, wish, share);
      left -= Buffer.byteLength(one.file.content);
      read.push(one);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      errors.push({ path: wish.path, error: error.failure });
    }
  }
  const warnings = read.flatMap(({ warning }) => (warning === null ? [] : [warning]));
  const data = { files: read.map(({ file }) => file), errors };
  return {
    data,
    warnings,
    truncated: data.files.some((file) => file.truncated),
    refused: errors.length,
    brief: briefOf(data.files, errors),
  };
}
const SHARE_BYTES = 1024;

function briefOf(files: readonly { path: string }[], errors: readonly { path: string }[]): string {
  const [first] = files;
  const read = files.length === 1 && first !== undefined ? `Read ${first.path}` : `Read ${files.length} files`;
  return errors.length === 0 ? read : `${read}, ${errors.length} refused`;
}
