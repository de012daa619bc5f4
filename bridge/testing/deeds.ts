// The changes tests make most, in one word each: every one goes through its operation and answers with the id of the change.
import type { Answered, Desk } from './desk.ts';

let keys = 0;
/** A fresh idempotency key. */
export const key = () => `key-${String((keys += 1)).padStart(8, '0')}`;

export const edit = async (at: Desk, path: string, [find, replace]: [string, string]): Promise<string> =>
  (await at.call('edit_file', { path, edits: [{ find, replace }], expectedHash: at.hash(path) })).data.changesetId;
export const write = async (at: Desk, path: string, content: string): Promise<string> =>
  (await at.call('write_file', { path, content, expectedHash: at.ws.list().includes(path) ? at.hash(path) : 'absent' })).data.changesetId;
export const move = async (at: Desk, path: string, destPath: string): Promise<string> =>
  (await at.call('move_path', { path, destPath, expectedHash: at.hash(path) })).data.changesetId;
export const remove = async (at: Desk, path: string): Promise<string> =>
  (await at.call('delete_path', { path, expectedHash: at.hash(path) })).data.changesetId;

export const undo = (at: Desk, changesetId: string, caller = 'token:a'): Promise<Answered> =>
  at.call('rollback_changes', { changesetId, idempotencyKey: key() }, { caller });

export const text = (at: Desk, path: string): string => at.ws.bytes(path).toString();
