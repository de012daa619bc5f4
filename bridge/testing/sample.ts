// A valid input for any contract, made from its schema, so that a new operation needs no row in a test.
import fc from 'fast-check';
import type { OperationContract } from '#shared/contract.ts';
import { z } from 'zod';

type Schema = z.core.JSONSchema.JSONSchema;

/** The smallest input that the contract takes; else one with every optional field. Throws when neither fits. */
export function sampleInput({ input }: OperationContract): Record<string, unknown> {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' });
  for (const isFull of [false, true]) {
    const sample = valueOf(schema as Schema, isFull) as Record<string, unknown>;
    if (input.safeParse(sample).success) return sample;
  }
  throw new Error(`No sample fits: ${JSON.stringify(valueOf(schema as Schema, true))}`);
}

function valueOf(schema: Schema, isFull: boolean): unknown {
  const [first] = schema.anyOf ?? schema.oneOf ?? [];
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return schema.enum[0];
  if (first !== undefined) return valueOf(first as Schema, isFull);
  switch (schema.type) {
    case 'object': {
      const names = isFull ? Object.keys(schema.properties ?? {}) : (schema.required ?? []);
      return Object.fromEntries(names.map((name) => [name, valueOf((schema.properties?.[name] ?? {}) as Schema, isFull)]));
    }
    case 'array':
      return Array.from({ length: schema.minItems ?? 0 }, () => valueOf(schema.items as Schema, isFull));
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 1, 1);
    case 'boolean':
      return false;
    case 'string':
      return textOf(schema);
    case 'null':
    case undefined:
      return null;
  }
}

function textOf({ pattern, minLength = 1 }: Schema): string {
  if (pattern === undefined) return 'a'.repeat(minLength);
  const [text = ''] = fc.sample(fc.stringMatching(new RegExp(pattern, 'u')), { numRuns: 1, seed: 1 });
  return text;
}
