// Text by lines: a whole file, a range or a tail, byte for byte as it is on disk, within a budget and never cut without saying so.
import type { z } from 'zod';
import type { FileText, filesContract } from '#shared/contracts/files.ts';
import { sha256 } from '../../base/digest.ts';
import { hashFile, readWhole, type OpenFile } from '../../base/fs/read.ts';
import { Failed } from '../../failed.ts';
import { tooLarge, withFile } from './bytes.ts';
import { readLargeRange, readLargeTail } from './large.ts';
import { lineStarts, takeBackward, takeForward, type Lined, type Lines } from './lines.ts';
import { notText, whyNotText } from './text.ts';

export type ReadWish = z.output<typeof filesContract.read_files.input>['files'][number];

export interface ReadLimits {
  /** The largest file that is read and hashed as a whole. */
  readFileBytes: number;
  /** How much text may be answered for this file. */
  budgetBytes: number;
  signal: AbortSignal;
}

export interface ReadText {
  file: z.input<typeof FileText>;
  warning: string | null;
}

export async function readText(root: string, wish: ReadWish, limits: ReadLimits): Promise<ReadText> {
  refuseContradiction(wish);
  return withFile(root, wish.path, async (file, { relative }) => {
    const isLarge = file.size > limits.readFileBytes;
    const taken = isLarge ? await readLarge(file, wish, limits) : await readSmall(file, wish, limits);
    const { lines, ...known } = taken;
    return {
      file: {
        path: relative,
        content: contentOf(lines, wish.numbered === true),
        startLine: lines.startLine,
        endLine: lines.endLine,
        ...known,
        bytes: file.size,
        truncated: lines.truncated,
      },
      warning: lines.warning === null ? null : `${relative}: ${lines.warning}`,
    };
  });
}

function refuseContradiction({ startLine, endLine, tailLines }: ReadWish): void {
  if (tailLines !== undefined && (startLine !== undefined || endLine !== undefined))
    throw new Failed('INVALID_INPUT', 'tailLines counts from the end and cannot be combined with startLine or endLine.');
  if (startLine !== undefined && endLine !== undefined && endLine < startLine)
    throw new Failed('INVALID_INPUT', `endLine ${endLine} is before startLine ${startLine}.`);
}

async function readSmall(file: OpenFile, wish: ReadWish, { budgetBytes }: ReadLimits) {
  const bytes = await readWhole(file);
  const reason = whyNotText(bytes);
  if (reason !== null) throw notText(bytes, { reason });
  const starts = lineStarts(bytes);
  const text: Lined = { bytes, starts, cost: wish.numbered === true ? NUMBER_BYTES : 0, budgetBytes };
  const total = starts.length;
  const first = wish.tailLines === undefined ? (wish.startLine ?? 1) : Math.max(1, total - wish.tailLines + 1);
  const last = Math.min(wish.endLine ?? total, total);
  const lines = wish.tailLines === undefined ? takeForward(text, first, last) : takeBackward(text, first, last);
  return { lines, totalLines: total, hash: sha256(bytes) };
}

async function readLarge(file: OpenFile, wish: ReadWish, { budgetBytes, readFileBytes, signal }: ReadLimits) {
  const { startLine, endLine, tailLines } = wish;
  // Only on request: a head or a tail must not cost the reading of the whole file.
  const hash = wish.includeHash === true ? await hashFile(file, signal) : null;
  if (startLine === undefined && endLine === undefined && tailLines === undefined)
    throw tooLarge(file.relative, file.size, { limitBytes: readFileBytes, hash });
  const lines =
    tailLines === undefined
      ? await readLargeRange(file, { first: startLine ?? 1, last: endLine ?? Infinity, budgetBytes, signal })
      : await readLargeTail(file, tailLines, budgetBytes);
  const reason = whyNotText(lines.bytes);
  if (reason !== null) throw notText(lines.bytes, { reason, whole: { size: file.size, hash } });
  return { lines, totalLines: null, hash };
}

const NUMBER_BYTES = 8;

function contentOf({ bytes, startLine }: Lines, isNumbered: boolean): string {
  const text = bytes.toString('utf8');
  if (!isNumbered || text === '') return text;
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const numbered = body.split('\n').map((line, at) => `${startLine + at}\t${line}`);
  return numbered.join('\n') + (body === text ? '' : '\n');
}
