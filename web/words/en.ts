// Every word the console says, in English. The other languages have the type of this object, so a missing word does not compile.
import { access } from './en/access.ts';
import { account } from './en/account.ts';
import { codes } from './en/codes.ts';
import { owner } from './en/owner.ts';
import { shell } from './en/shell.ts';
import { work } from './en/work.ts';

export const en = { ...shell, ...work, ...access, ...account, ...owner, codes };
export type Words = typeof en;
