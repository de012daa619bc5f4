// What is told of a project before a program runs in it, and of what it did afterwards.
import type { AppliedFile } from '#shared/contracts/changes.ts';
import type { z } from 'zod';
import type { Unkept } from './compare.ts';

/** What could not be put back. */
export interface Foreseen {
  /** A sentence each, for the owner. Empty: whatever a program does to a file of the project can be taken back. */
  gaps: string[];
  /** Ignored entries, secrets and `.git`: told when they change, never kept. Not a gap, but not to be written by a program unasked. */
  unkept: Unkept[];
}

export interface Observation extends Foreseen {
  observationId: string;
  kept: { files: number; bytes: number };
  /** About ignore files that were not applied. */
  warnings: string[];
}

export interface Settled {
  /** null: nothing changed that is kept. */
  changesetId: string | null;
  files: z.input<typeof AppliedFile>[];
  /** What changed and cannot be put back, by name: also ignored entries, secrets and `.git`. */
  unkept: Unkept[];
  warnings: string[];
}

/** What a bridge that died left open, settled by the next one. */
export interface SettledLate extends Settled {
  projectId: string;
  label: string;
}
