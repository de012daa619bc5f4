// Nested data as flat, named facts: `edits[0].find` and its value. Every leaf is there, in order, so nothing can hide in the depth.

export interface Fact {
  name: string;
  value: string;
}

/** The leaves of a value. An empty list or object is a leaf too. */
export function factsOf(value: unknown, name = ''): Fact[] {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length > 0) return value.flatMap((item, index) => factsOf(item, `${name}[${index}]`));
  if (isRecord(value) && Object.keys(value).length > 0)
    return Object.entries(value).flatMap(([key, item]) => factsOf(item, name === '' ? key : `${name}.${key}`));
  return [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }];
}

/** The value of JSON text, or the text itself when it is none. */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    if (cause instanceof SyntaxError) return text;
    throw cause;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);
