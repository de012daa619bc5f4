// Every word the console says, in Japanese.
import type { Words } from './en.ts';
import { access } from './ja/access.ts';
import { account } from './ja/account.ts';
import { codes } from './ja/codes.ts';
import { owner } from './ja/owner.ts';
import { shell } from './ja/shell.ts';
import { work } from './ja/work.ts';

export const ja: Words = { ...shell, ...work, ...access, ...account, ...owner, codes };
