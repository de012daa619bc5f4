// words
import { en, type Words } from './en.ts';
export const ja: Words = en;
