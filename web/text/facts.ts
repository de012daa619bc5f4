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

export interface Conflict {
  path: string;
  why: string;
}

/** The files that stood in the way, when a refusal names them. */
export function conflictsOf(detail: Record<string, unknown> | undefined): Conflict[] {
  const list = detail?.['conflicts'];
  if (!Array.isArray(list)) return [];
  return list.filter(isRecord).flatMap(({ path, conflict }) => (typeof path === 'string' ? [{ path, why: String(conflict ?? '') }] : []));
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

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
