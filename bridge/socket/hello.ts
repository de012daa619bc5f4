// The first line of each direction on the private socket. After a stdio hello the connection carries the client's own bytes.
import { z } from 'zod';

export const Hello = z.union([
  z.strictObject({ stdio: z.strictObject({ root: z.string().min(1).max(4096) }) }),
  z.strictObject({ call: z.strictObject({ operation: z.string().max(64), input: z.record(z.string(), z.unknown()) }) }),
]);
export type Hello = z.infer<typeof Hello>;
