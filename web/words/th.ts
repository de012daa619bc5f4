// Every word the console says, in Thai.
import type { Words } from './en.ts';
import { access } from './th/access.ts';
import { account } from './th/account.ts';
import { codes } from './th/codes.ts';
import { owner } from './th/owner.ts';
import { shell } from './th/shell.ts';
import { work } from './th/work.ts';

export const th: Words = { ...shell, ...work, ...access, ...account, ...owner, codes };
