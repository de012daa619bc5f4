// A sentence with emphasised and literal parts, so that each language orders them as it needs. Never markup.

export type Part = string | { strong: string } | { code: string };
export type Rich = readonly Part[];

export const strong = (text: string): Part => ({ strong: text });
export const code = (text: string): Part => ({ code: text });
