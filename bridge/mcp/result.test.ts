// The text block: the whole answer, or valid JSON of a shortened one that says so.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '#shared/envelope.ts';
import { TOOL_CONTENT_BYTES } from './limits.ts';
import { textOf, toResult } from './result.ts';

const envelope = (over: Partial<Envelope>): Envelope => ({
  ok: true,
  workspaceId: 'ws',
  workspaceEpoch: 'ep',
  data: {},
  error: null,
  warnings: [],
  truncated: false,
  nextCursor: null,
  ...over,
});
const failure = {
  code: 'FILE_CHANGED' as const,
  message: 'The file is another one now.',
  retryable: false,
  detail: { hash: 'b'.repeat(64) },
};

describe('result', () => {
  it('B25 success is text and the same structure, with images after the text', () => {
    const whole = envelope({ data: { hash: 'a' } });
    const result = toResult({ envelope: whole, images: [{ data: 'AA==', mimeType: 'image/png' }] });
    expect(result.isError).toBeUndefined();
    expect(result.structuredContent).toEqual(whole);
    expect(result.content).toEqual([
      { type: 'text', text: JSON.stringify(whole) },
      { type: 'image', data: 'AA==', mimeType: 'image/png' },
    ]);
  });

  it('B25 a refusal is text only, and all of it', () => {
    const refused = envelope({ ok: false, data: null, error: failure });
    expect(toResult({ envelope: refused, images: [] })).toEqual({
      isError: true,
      content: [{ type: 'text', text: JSON.stringify(refused) }],
    });
  });

  it('B28 a text beyond the limit is a shorter one that says how much there is, with hashes and codes whole', () => {
    const hash = 'c'.repeat(64);
    const files = Array.from({ length: 10 }, (_, n) => ({ path: `src/${n}.ts`, hash, content: 'x'.repeat(400_000) }));
    const text = textOf(envelope({ data: { files } }), TOOL_CONTENT_BYTES);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(TOOL_CONTENT_BYTES);
    const short = JSON.parse(text) as Envelope<{ files: typeof files }>;
    expect(short).toMatchObject({ ok: true, truncated: true, workspaceId: 'ws' });
    expect(short.warnings[0]).toMatch(/shortened from 400\d{4} bytes/);
    expect(short.data?.files.map((file) => file.hash)).toEqual(files.map(() => hash));
    expect(short.data?.files[0]?.content).toMatch(/^x+… \[\d+ more characters\]$/);
  });

  it('B28 is valid JSON within the limit for every answer, and the answer itself below it (property)', () => {
    const data = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 20 });
    fc.assert(
      fc.property(data, fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 9000 }), { maxLength: 40 }), (members, texts) => {
        const whole = envelope({ data: { ...members, texts } as Record<string, unknown> });
        const text = textOf(whole, 32 * 1024);
        const read = JSON.parse(text) as Envelope;
        const isWhole = Buffer.byteLength(JSON.stringify(whole)) <= 32 * 1024;
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(32 * 1024);
        expect(read.truncated).toBe(!isWhole);
        if (isWhole) expect(text).toBe(JSON.stringify(whole));
      }),
      { numRuns: 50 },
    );
  });

  it('B28 keeps the essentials of an answer that is long by its number of members', () => {
    const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, n) => [`member ${n}`, n]));
    const text = textOf(envelope({ data }), 8 * 1024);
    expect(Buffer.byteLength(text)).toBeLessThan(8 * 1024);
    expect(JSON.parse(text)).toMatchObject({ ok: true, workspaceId: 'ws', data: null, truncated: true });
  });

  it('B28 does not cut a character in half', () => {
    const text = textOf(envelope({ data: { text: `x${'😀'.repeat(40_000)}` } }), 8 * 1024);
    expect(text).not.toMatch(/\\ud[89a-f]/i);
  });
});
