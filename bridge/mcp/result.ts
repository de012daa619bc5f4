// An answer as a tool result: success as text and as the same JSON in structure, a refusal as text only (B25).
import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Envelope } from '#shared/envelope.ts';
import type { Answer } from '../invocation/progress.ts';
import { TOOL_CONTENT_BYTES } from './limits.ts';

export function toResult({ envelope, images }: Answer): CallToolResult {
  const text = { type: 'text' as const, text: textOf(envelope, TOOL_CONTENT_BYTES) };
  // Structure on a refusal would be checked against the schema of a success, and so hide the refusal.
  if (!envelope.ok) return { content: [text], isError: true };
  const blocks = images.map(({ data, mimeType }) => ({ type: 'image' as const, data, mimeType }));
  return { content: [text, ...blocks], structuredContent: { ...envelope } };
}

/** The envelope's JSON, or when that is too long, the JSON of a shortened copy that says so. */
export function textOf(envelope: Envelope, limitBytes: number): string {
  const whole = JSON.stringify(envelope);
  const bytes = Buffer.byteLength(whole);
  if (bytes <= limitBytes) return whole;
  for (let size = INITIAL_SIZE; ; size = { characters: size.characters >> 1, items: Math.max(1, size.items >> 1) }) {
    const text = JSON.stringify(shortened(envelope, size, { bytes, limitBytes }));
    if (Buffer.byteLength(text) <= limitBytes) return text;
    if (size.characters < SMALLEST_TEXT) return JSON.stringify(essence(envelope, { bytes, limitBytes }));
  }
}

interface Size {
  characters: number;
  items: number;
}

const INITIAL_SIZE: Size = { characters: 32 * 1024, items: 1024 };
/** Below this, hashes, ids and messages would be cut, and what is left is not worth reading. */
const SMALLEST_TEXT = 128;

interface Excess {
  bytes: number;
  limitBytes: number;
}

function shortened(envelope: Envelope, size: Size, excess: Excess): Envelope {
  const cut = shorten(envelope, size) as Envelope;
  return { ...cut, truncated: true, warnings: [noteOf(envelope, excess), ...cut.warnings] };
}

/** What is left of an answer that is long by its sheer number of members. */
const essence = (envelope: Envelope, excess: Excess): Envelope => ({
  ...envelope,
  data: null,
  error: envelope.error === null ? null : { ...envelope.error, detail: {} },
  truncated: true,
  warnings: [noteOf(envelope, excess)],
});

function noteOf({ ok }: Envelope, { bytes, limitBytes }: Excess): string {
  const whole = ok ? ' The structured content of this result holds all of it; a narrower call also answers in full.' : '';
  return `This text was shortened from ${bytes} bytes to fit ${limitBytes}.${whole}`;
}

function shorten(value: unknown, size: Size): unknown {
  if (typeof value === 'string') return cutText(value, size.characters);
  if (Array.isArray(value)) return value.slice(0, size.items).map((item) => shorten(item, size));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shorten(member, size)]));
}

function cutText(text: string, limit: number): string {
  if (text.length <= limit) return text;
  // Not between the halves of one character.
  const end = /[\uD800-\uDBFF]/.test(text[limit - 1] ?? '') ? limit - 1 : limit;
  return `${text.slice(0, end)}… [${text.length - end} more characters]`;
}
