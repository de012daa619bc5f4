// The first line of each direction on the private socket. After a stdio hello the connection carries the client's own bytes.
import { z } from 'zod';

const Root = z.string().min(1).max(4096);
const Port = z.number().int().min(0).max(65_535);
/** null: what the owner set, else the transport's default. */
const Tools = z.enum(['full', 'compact', 'hybrid']).nullable();

export const ConsoleWish = z.strictObject({ mcpPort: Port, consolePort: Port, tools: Tools, roots: z.array(Root).max(100) });
export type ConsoleWish = z.infer<typeof ConsoleWish>;

export const StdioWish = z.strictObject({ root: Root, tools: Tools });
export type StdioWish = z.infer<typeof StdioWish>;

export const Hello = z.union([
  z.strictObject({ stdio: StdioWish }),
  z.strictObject({ call: z.strictObject({ operation: z.string().max(64), input: z.record(z.string(), z.unknown()) }) }),
  z.strictObject({ console: ConsoleWish }),
]);
export type Hello = z.infer<typeof Hello>;
