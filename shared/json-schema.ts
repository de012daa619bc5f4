// A contract's zod schema as the JSON Schema (2020-12) that strict clients accept: inline, no root combinators, nothing implied.
import { z } from 'zod';

type Json = string | number | boolean | null | Json[] | { [name: string]: Json };
export type JsonSchema = Record<string, Json>;
export type ObjectSchema = JsonSchema & { type: 'object'; properties: Record<string, JsonSchema> };

/** What a model must know to make a call; and of an answer, only its shape: its limits bind us and not the reader. */
type Detail = 'limits' | 'shape';

const LIMITS: ReadonlySet<string> = new Set(['pattern', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems']);
/** A long closed list (the failure codes) is left open in an answer: a value added later must not break a client that validates. */
const ENUM_MAX = 12;
/** Bounds above this only repeat the bound of the whole message, or that an integer is a safe one. */
const IMPLIED_FROM = 1024 * 1024;

/**
 * Both directions are published as the contract writes them (`io: 'input'`): defaulted members stay optional, and an
 * answer's objects stay open, so that a member added later does not break a client that validates.
 */
export function publish(schema: z.ZodObject, detail: Detail = 'limits'): ObjectSchema {
  const raw = z.toJSONSchema(schema, { target: 'draft-2020-12', io: 'input', reused: 'inline', cycles: 'throw' });
  return tidy(raw, { detail, said: new Set() }) as ObjectSchema;
}

interface Tidying {
  detail: Detail;
  /** A description is read once a tool; every further copy only costs tokens. */
  said: Set<unknown>;
}

function tidy(node: unknown, state: Tidying): unknown {
  if (Array.isArray(node)) return node.map((item) => tidy(item, state));
  if (node === null || typeof node !== 'object') return node;
  const kept = Object.entries(node).filter(([keyword, value]) => isTelling(keyword, value, state));
  return branched(
    Object.fromEntries(kept.map(([keyword, value]) => [keyword, keyword === 'properties' ? members(value, state) : tidy(value, state)])),
  );
}

/** A member may be named like a keyword, so names are not filtered. */
const members = (value: unknown, state: Tidying): unknown =>
  Object.fromEntries(Object.entries(value as object).map(([name, schema]) => [name, tidy(schema, state)]));

function isTelling(keyword: string, value: unknown, { detail, said }: Tidying): boolean {
  // 2020-12 is the protocol's default dialect, and every JSON name is a string.
  if (keyword === '$schema' || keyword === 'propertyNames') return false;
  if (keyword === 'description') return detail === 'limits' && !said.has(value) && said.add(value) !== undefined;
  if (keyword === 'enum') return detail === 'limits' || (value as unknown[]).length <= ENUM_MAX;
  if (keyword === 'additionalProperties') return value === false || Object.keys(value as object).length > 0;
  if (!LIMITS.has(keyword)) return true;
  return detail === 'limits' && !(typeof value === 'number' && Math.abs(value) >= IMPLIED_FROM);
}

/** Clients whose dialect has one type a schema (Gemini's) take branches and refuse a list of types. */
function branched({ type, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (type === undefined) return rest;
  return Array.isArray(type) ? { ...rest, anyOf: type.map((one) => ({ type: one as unknown })) } : { type, ...rest };
}
