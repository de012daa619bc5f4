// The only list of areas. Every surface, the typed client, the reference and the tests derive from it.
import { approvalsContract } from './contracts/approvals.ts';
import { changesContract } from './contracts/changes.ts';
import { discoveryContract } from './contracts/discovery.ts';
import { clientsContract } from './contracts/clients.ts';
import { editsContract } from './contracts/edits.ts';
import { environmentContract } from './contracts/environment.ts';
import { filesContract } from './contracts/files.ts';
import { gitContract } from './contracts/git.ts';
import { grantsContract } from './contracts/grants.ts';
import { jobsContract } from './contracts/jobs.ts';
import { notesContract } from './contracts/notes.ts';
import { ownerContract } from './contracts/owner.ts';
import { projectsContract } from './contracts/projects.ts';
import { settingsContract } from './contracts/settings.ts';

export const contracts = {
  ...projectsContract,
  ...discoveryContract,
  ...filesContract,
  ...editsContract,
  ...changesContract,
  ...jobsContract,
  ...environmentContract,
  ...gitContract,
  ...notesContract,
  ...approvalsContract,
  ...grantsContract,
  ...settingsContract,
  ...clientsContract,
  ...ownerContract,
};
export type Contracts = typeof contracts;
export type OperationName = keyof Contracts;
