// How much of the disk the database takes: its file and the files beside it, where what was written last still waits.
import { statSync } from 'node:fs';

const sizeOf = (path: string): number => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** SQLite keeps new pages in a log of its own until it copies them into the file; with an index of that log beside it. */
export const databaseBytes = (file: string): number => ['', '-wal', '-shm'].reduce((sum, ending) => sum + sizeOf(file + ending), 0);
