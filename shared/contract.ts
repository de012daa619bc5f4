// What an operation is before anything implements it: words, rights, effects and the two schemas. Data only.
import { z } from 'zod';

/** `owner` operations are the owner's own; no client can be granted them and no MCP surface lists them. */
export type Scope = 'read' | 'write' | 'exec' | 'owner';

/** What a call does to the world. The pipeline queues `mutate-files`; a program that runs holds up no other change. */
export type Action = 'read' | 'plan' | 'mutate-files' | 'run' | 'control';

export interface OperationContract {
  title: string;
  /** One or two sentences for the model and the owner; the only place this text lives. */
  summary: string;
  scope: Scope;
  action: Action;
  destructive: boolean;
  idempotent: boolean;
  /** `workspace` operations act on one project and must name it with its epoch; `none` stand alone. */
  context: 'workspace' | 'none';
  /** A read that may be asked of another project by its projectId, or of several at once by projectIds. */
  elsewhere?: 'one' | 'several';
  input: z.ZodObject;
  output: z.ZodObject;
}

export type Contract = Record<string, OperationContract>;

/** What this very call does: a dry run of a changing operation only plans. */
export const actionOf = (contract: OperationContract, input: Record<string, unknown>): Action =>
  contract.action === 'mutate-files' && input['dryRun'] === true ? 'plan' : contract.action;

/** Keeps the literal names and schemas of a contract, which the typed client and the handlers derive from. */
export const defineContract = <const C extends Contract>(contract: C): C => contract;

/** The typed view of a contract that a caller sees: one async function an operation. */
export type Client<C extends Contract> = {
  [K in keyof C]: (input: z.input<C[K]['input']>) => Promise<z.output<C[K]['output']>>;
};

/** The annotations an MCP client reads, true to the contract (a hint is never a right). */
export function annotationsOf(contract: OperationContract) {
  const readOnlyHint = contract.action === 'read';
  return {
    title: contract.title,
    readOnlyHint,
    destructiveHint: !readOnlyHint && contract.destructive,
    idempotentHint: contract.idempotent,
    openWorldHint: false,
  };
}

/** SHA-256 of a file's raw bytes, 64 lower-case hex digits. */
export const Sha256 = z.string().regex(/^[0-9a-f]{64}$/);
/** What a changing call expects on disk: the full hash, or that nothing is there. */
export const ExpectedHash = z
  .string()
  .regex(/^([0-9a-f]{64}|absent)$/)
  .describe('Full SHA-256 of the bytes you expect on disk, or "absent" when nothing may be there.');
export const RelativePath = z.string().max(1024).describe('Path relative to the project root, with "/" between names; "." is the root.');
export const IdempotencyKey = z
  .string()
  .min(8)
  .max(128)
  .describe('Names this one intent: a repeat within 24 h answers with the first receipt instead of acting again.');
/** UTC milliseconds since the epoch. */
export const Instant = z.number().int();
