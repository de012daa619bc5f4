// The id of a message that is too long to read: found where clients put it, and never taken out of a text.
import { describe, expect, it } from 'vitest';
import { idAtEnds } from './message.ts';

const ends = (text: string) => ({ head: Buffer.from(text.slice(0, 512)), tail: Buffer.from(text.slice(-512)) });
const long = 'x'.repeat(2000);
const params = { name: 'write_file', arguments: { content: long } };

describe('idAtEnds', () => {
  it.each([
    [{ method: 'tools/call', params, jsonrpc: '2.0', id: 7 }, 7],
    [{ jsonrpc: '2.0', id: 7, method: 'tools/call', params }, 7],
    [{ jsonrpc: '2.0', method: 'tools/call', id: 'a"b', params }, 'a"b'],
    [{ method: 'tools/call', params, id: 'last', jsonrpc: '2.0' }, 'last'],
    [{ jsonrpc: '2.0', method: 'tools/call', params }, null],
    [{ jsonrpc: '2.0', method: 'tools/call', params: { content: `${long},"id":5}` } }, null],
    [{ jsonrpc: '2.0', method: 'tools/call', params: { content: long, id: 5 } }, null],
  ])('case %#', (message, id) => {
    expect(idAtEnds(ends(JSON.stringify(message)))).toBe(id);
  });

  it('takes none out of what is no message', () => {
    for (const text of [long, `"${long}"`, `[${long}]`, '']) expect(idAtEnds(ends(text))).toBeNull();
  });
});
