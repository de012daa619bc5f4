// The machine as a client may know it: kinds and versions, never a path, a name or a variable.
import { z } from 'zod';
import { defineContract } from '../contract.ts';

export const environmentContract = defineContract({
  environment_info: {
    title: 'Environment',
    summary: 'The system, the versions of the programming tools on it (null where there is none), and what this bridge can do.',
    scope: 'read',
    action: 'read',
    destructive: false,
    idempotent: true,
    context: 'workspace',
    input: z.strictObject({}),
    output: z.object({
      os: z.string(),
      arch: z.string(),
      cpus: z.number().int(),
      shell: z.string().nullable(),
      tools: z.record(z.string(), z.string().nullable()).describe('What each said to --version, or null.'),
      capabilities: z.object({
        search: z.string(),
        accessMode: z.enum(['personal', 'managed']),
        commands: z.boolean(),
        git: z.boolean(),
        symbols: z.boolean(),
      }),
    }),
  },
});
