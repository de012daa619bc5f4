// Finding an operation by what one wants to do, and learning how to call it through its gateway.
import { z } from 'zod';
import { defineContract, Sha256 } from '../contract.ts';

const Domain = z.enum(['code', 'exec', 'git', 'desktop', 'media', 'browser', 'game', 'workflow', 'schedule', 'web']);
const Found = z.object({
  operation: z.string(),
  gateway: z.string(),
  domain: z.string(),
  requiredScope: z.string(),
  action: z.string(),
  description: z.string(),
});

export const discoveryContract = defineContract({
  dodo_discover: {
    title: 'Discover operations',
    summary:
      'Finds operations by words (English, Japanese, Thai) or domain; with "operation", gives its argument schema and how to call it through its gateway.',
    scope: 'read',
    action: 'read',
    destructive: false,
    idempotent: true,
    context: 'workspace',
    input: z.strictObject({
      query: z.string().max(200).optional().describe('What you want to do, in your own words.'),
      domain: Domain.optional(),
      operation: z.string().max(64).optional().describe('One operation by its exact name, with its schema.'),
      knownSchemaHash: Sha256.optional().describe('The schemaHash you hold already: the schema is left out when it is still that one.'),
      limit: z.number().int().min(1).max(25).default(8),
      cursor: z.string().max(32).optional(),
    }),
    output: z.object({
      matches: z.array(Found).optional(),
      totalMatches: z.number().int().optional(),
      ...Found.partial().shape,
      inputSchema: z.record(z.string(), z.unknown()).nullable().optional().describe('JSON Schema (2020-12) of "args" alone.'),
      schemaHash: Sha256.optional(),
      callShape: z.object({ gateway: z.string(), example: z.record(z.string(), z.unknown()) }).optional(),
      notes: z.array(z.string()).optional(),
    }),
  },
});
