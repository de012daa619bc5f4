// What the owner is told before allowing the same for a while.
import { describe, expect, it } from 'vitest';
import type { Approval } from '#shared/contracts/approvals.ts';
import { coverageOf } from './coverage.ts';

const file = (path: string) => ({ path, beforeHash: null, afterHash: null, diff: '' });
const request = (over: Partial<Approval>): Approval =>
  ({ projectId: 'prj_1', operation: 'write_file', arguments: '{}', files: [], ...over }) as Approval;

describe('coverageOf', () => {
  it('names every file once, and the folder that only the arguments name', () => {
    const files = [file('a/x'), file('a/y')];
    expect(coverageOf(request({ operation: 'delete_path', arguments: '{"path":"a"}', files }))).toEqual({
      kind: 'paths',
      paths: ['a/x', 'a/y', 'a'],
    });
    expect(coverageOf(request({ arguments: '{"path":"a/x","content":""}', files: [file('a/x')] }))).toEqual({
      kind: 'paths',
      paths: ['a/x'],
    });
    const moved = request({ operation: 'move_path', arguments: '{"path":"a","destPath":"b"}', files: [file('a -> b')] });
    expect(coverageOf(moved)).toEqual({ kind: 'paths', paths: ['a -> b'] });
  });

  it('is the exact call for whatever does more than change files', () => {
    for (const operation of ['run_command', 'fetch_url', 'something_new'])
      expect(coverageOf(request({ operation, files: [file('a')] }))).toEqual({ kind: 'arguments' });
  });

  it('is nothing without a project: then it can only be allowed once', () => {
    expect(coverageOf(request({ projectId: null }))).toBeNull();
  });
});
