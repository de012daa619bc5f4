// The words of Now and of approvals, in English.
import { code, strong, type Rich } from '../rich.ts';

const small = ['No', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
const spelled = (count: number): string => small[count] ?? String(count);
const many = (count: number, one: string, more: string): string => `${count} ${count === 1 ? one : more}`;

/** What a caller wants to do, by operation; the tail names the thing. */
const wants: Record<string, string> = {
  write_file: 'wants to write',
  edit_file: 'wants to edit',
  apply_patch: 'wants to patch',
  replace_in_files: 'wants to replace text in',
  delete_path: 'wants to delete',
  move_path: 'wants to move',
  make_directory: 'wants to make the directory',
  apply_changes: 'wants to apply a reviewed plan to',
  rollback_changes: 'wants to undo a change to',
};

export interface AskHead {
  who: string;
  operation: string;
  target: string | null;
  project: string | null;
}

/** What an answer for a while will cover. */
export interface Covered {
  who: string;
  operation: string;
  project: string;
  span: string;
}

export const work = {
  now: {
    title: 'Now',
    lead: (needs: number, agents: number) =>
      `${needs === 0 ? 'Nothing needs you.' : needs === 1 ? 'One thing needs you.' : `${spelled(needs)} things need you.`} ${
        agents === 1 ? 'One agent is at work.' : `${spelled(agents)} agents are at work.`
      }`,
    leadFirst: 'Three steps, and your first agent is at work where you can see it.',
    leadUnknown: 'What needs you is not known yet.',
    needs: 'Needs you',
    atWork: 'At work',
    finished: 'Just finished',
    noneAtWork: 'No call is running, and none came within the last minute.',
    noneFinished: 'No call has arrived yet.',
    allActivity: 'All activity',
    heard: 'Heard earlier',
    lastCall: 'last call',
    calls: (count: number) => many(count, 'call', 'calls'),
    queuedWhy: 'waits for another change in this project',
    interrupted: (summary: string) => `An interrupted change needs a decision: ${summary}`,
    flood: (count: number) =>
      `${count} requests came within one minute. Something may be asking in a loop. Nothing happens unless you allow it.`,
  },
  steps: {
    title: 'First steps',
    addTitle: 'Add a project',
    addBody: 'A folder that agents may work in. Nothing in it changes by adding it.',
    addDone: (names: string) => `Added: ${names}`,
    connectTitle: 'Connect a client',
    connectBody: 'Pick your MCP client and paste the set-up into it.',
    connectWait: 'A project comes first: the set-up names it.',
    connectDone: 'A client is connected. Set up another at any time under Connections.',
    seeTitle: 'See the first call arrive',
    seeBody:
      'Ask your agent for something small, for example “list the files of this project”. Its call appears here the moment it is made.',
    seeDone: (who: string) => `${who} has called.`,
    waiting: 'Waiting for the first call',
    done: 'Done',
    step: (number: number) => `Step ${number}`,
  },
  approvals: {
    title: 'Approvals',
    lead: (count: number) => (count === 0 ? 'Nothing waits for you.' : `${many(count, 'request waits', 'requests wait')} for your answer.`),
    leadUnknown: 'What waits for you is not known yet.',
    waiting: 'Waiting for you',
    answered: 'Answered lately',
    noneAnswered: 'No request has been answered yet.',
    by: (by: string) => `by ${by}`,
    all: (count: number) => `All ${many(count, 'request', 'requests')} that wait`,
  },
  grants: {
    title: 'Standing permissions',
    one: 'Standing permission',
    lead: 'What you allowed for a while. Everything else still asks.',
    none: 'Nothing is allowed for a while. A request that waits can be.',
    head: ({ who, operation, project }: { who: string; operation: string; project: string }): Rich => [
      strong(who),
      ' may call ',
      code(operation),
      ' in ',
      strong(project),
    ],
    exactCall: 'with exactly the same arguments',
    paths: 'These paths, and below',
    arguments: 'Only with',
    begins: (name: string) => `${name} begins with`,
    program: 'Program',
    host: 'Host',
    reasons: 'Answers',
    until: 'Until',
    used: 'Used',
    uses: (count: number) => (count === 0 ? 'not used yet' : `used ${many(count, 'time', 'times')}`),
    atMost: (count: number) => `at most ${many(count, 'time', 'times')}`,
    lastUse: 'last',
    made: 'Allowed',
    endedAt: 'Ended',
    end: 'End',
    endOf: (who: string, operation: string) => `End: ${operation} by ${who}`,
    ending: 'Ending…',
    endWhat: 'From its next call on it asks again. What was done stays, and can be undone as before.',
    ended: (who: string) => `Ended. ${who} asks again from its next call on.`,
    showOver: (count: number) => `Show ${count} that ${count === 1 ? 'is' : 'are'} over`,
    hideOver: 'Show only those that hold',
    notFound: 'There is no standing permission of this name.',
    toUses: 'Its uses',
    status: { active: 'Holds', expired: 'Ran out', used_up: 'Used up', revoked: 'Ended' },
  },
  ask: {
    head: ({ who, operation, target, project }: AskHead): Rich => [
      strong(who),
      ` ${wants[operation] ?? `wants to call ${operation}${target === null ? '' : ' on'}`} `,
      ...(target === null ? [] : [code(target), ' ']),
      ...(project === null ? [] : ['in ', strong(project)]),
    ],
    manyFiles: (count: number) => many(count, 'file', 'files'),
    words: 'The exact words',
    suspicious: 'These words contain characters that are invisible or resemble others. They are marked.',
    json: 'As JSON',
    list: 'As a list',
    why: 'Why you are asked',
    willChange: 'Will change',
    boundTo: 'Bound to',
    boundArguments: 'the exact arguments',
    absent: 'nothing there now',
    undoable: 'undoable; what later runs because of it is not',
    allow: 'Allow once',
    forAWhile: 'Allow for a while…',
    howLong: 'For how long',
    allowFor: (span: string) => `Allow for ${span}`,
    covers: ({ who, operation, project, span }: Covered): Rich => [
      'For ',
      strong(span),
      ', ',
      strong(who),
      ' may call ',
      code(operation),
      ' in ',
      strong(project),
      ' without asking again, for what is asked here and nothing wider:',
    ],
    coversPaths:
      'These paths, any folder that this call makes or removes, and what lies below them: with any content, also content you have not seen. Another path, or another reason to ask, still asks.',
    coversArguments: 'Exactly the arguments above. Any other argument, or another reason to ask, still asks.',
    coversEnd: 'You can end it at any time in Connections, under Standing permissions.',
    allowedFor: (who: string, span: string) => `Allowed for ${span}. ${who} is not asked for the same until then; end it in Connections.`,
    allowedWhile: (by: string, until: string) => `Allowed for a while by ${by}, until ${until}.`,
    allowedWhileOver: (by: string) => `Allowed for a while by ${by}; that is over, and such a call asks again.`,
    allowing: 'Allowing…',
    deny: 'Deny…',
    denyNow: 'Deny',
    denying: 'Denying…',
    note: 'Note to the agent (optional)',
    notePlaceholder: 'What it should do instead',
    readFirst: 'Scroll to the end of the words first',
    readShare: (share: string) => `${share} seen`,
    hintAllow: 'allow',
    hintDeny: 'deny',
    hintDetails: 'details',
    title: 'Approval',
    answered: (status: string, by: string, when: string) => `Already answered: ${status} by ${by}, ${when}. Your answer changed nothing.`,
    allowedNow: 'Allowed, once.',
    deniedNow: (who: string) => `Denied. ${who} is told so, with your note if you wrote one.`,
    allowedBy: (by: string, when: string) => `Allowed by ${by}, ${when}. The agent can now send the same call once.`,
    deniedBy: (by: string, when: string) => `Denied by ${by}, ${when}.`,
    usedBy: (by: string, when: string) => `Allowed by ${by}, ${when}, and used. It cannot be used again.`,
    expired: 'The time ran out; this counts as denied. The agent can ask again.',
    noteWas: (note: string) => `Note: ${note}`,
    notFound: 'There is no request of this name among the latest 200. It may be older, or from another bridge.',
    someone: 'someone',
  },
};
