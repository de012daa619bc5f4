// The one shape every call of every surface is answered with, and the context a call travels in.
import { z } from 'zod';
import type { Failure } from './failure.ts';
import { ProjectId } from './ids.ts';

/** How many projects one call reads in. */
export const PROJECTS_MAX = 8;

/**
 * Names the project a call is for. Clients echo the pair that project_overview gave (surfaces 5). A target is the project that the
 * call is in; projectId and projectIds are where a read that is in one project looks instead.
 */
export const CallContext = z.strictObject({
  workspaceId: z.string().max(64).optional(),
  workspaceEpoch: z.string().max(64).optional(),
  targetProjectId: ProjectId.optional(),
  projectId: ProjectId.optional(),
  projectIds: z.array(ProjectId).min(1).max(PROJECTS_MAX).optional(),
});
export type CallContext = z.infer<typeof CallContext>;

export const Warning = z.string();

export interface Envelope<Data = Record<string, unknown>> {
  ok: boolean;
  workspaceId: string | null;
  workspaceEpoch: string | null;
  data: Data | null;
  error: Failure | null;
  warnings: string[];
  truncated: boolean;
  nextCursor: string | null;
}

/** The published schema of a successful answer whose data has the given shape. */
export const envelopeSchema = (data: z.ZodObject) =>
  z.object({
    ok: z.boolean(),
    workspaceId: z.string().nullable(),
    workspaceEpoch: z.string().nullable(),
    data,
    error: z.null(),
    warnings: z.array(Warning),
    truncated: z.boolean(),
    nextCursor: z.string().nullable(),
  });
