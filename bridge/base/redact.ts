// Masks what has the shape of a credential, in text that is kept for later. It can miss one: it is no boundary.

const shapes: readonly RegExp[] = [
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g,
  /\bdbr_[\w-]{43}/g,
  /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{22,}|glpat-[\w-]{20,})/g,
  /\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g,
  /\bAIza[\w-]{35}/g,
  /\bxox[abeprs]-[\w-]{10,}/g,
  /\b(?:sk|rk|pk)[-_](?:live_|test_|ant-|proj-)?[A-Za-z0-9_-]{20,}/g,
  /\bnpm_[A-Za-z0-9]{36}\b/g,
  /\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,}/g,
  /(?<=\bBearer\s+)[\w~+/.-]{16,}=*/gi,
  /(?<=:\/\/[^\s/:@]*:)[^\s/@]+(?=@)/g,
];

export const MASK = '[redacted]';

export function redact(text: string): string {
  return shapes.reduce((masked, shape) => masked.replace(shape, MASK), text);
}

/** The same value with every text in it masked. */
export function redactAll<Value>(value: Value): Value {
  if (typeof value === 'string') return redact(value) as Value;
  if (Array.isArray(value)) return value.map((one: unknown) => redactAll(one)) as Value;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, redactAll<unknown>(one)])) as Value;
}
