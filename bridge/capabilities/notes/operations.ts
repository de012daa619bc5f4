// The notes as operations: whose they are is who calls, and no argument says otherwise.
import { counted } from '#shared/counted.ts';
import { notesContract, UNTRUSTED } from '#shared/contracts/notes.ts';
import { implement, type Call, type Operation } from '../../operation.ts';
import type { Desk, Kept, Notes } from './service.ts';

const warningsOf = (isMasked: boolean) => (isMasked ? { warnings: ['What looked like a secret was masked before it was kept.'] } : {});

const deskOf = ({ caller, project }: Call): Desk => ({ principal: caller.principal, projectId: project.projectId });

export const noteOperations = (notes: Notes): Operation[] =>
  implement(notesContract, {
    todo_read: async (_input, call) => {
      const kept = notes.todos(deskOf(call));
      return { data: { ...kept, note: UNTRUSTED }, brief: counted(kept.todos.length, 'task') };
    },
    todo_write: async ({ todos }, call) => {
      const { updatedAt, isMasked } = notes.putTodos(deskOf(call), todos);
      const inProgress = todos.filter(({ status }) => status === 'in_progress').length;
      return { data: { count: todos.length, inProgress, updatedAt }, ...warningsOf(isMasked), brief: counted(todos.length, 'task') };
    },
    handoff_read: async ({ handoffId, list, limit }, call) => {
      const desk = deskOf(call);
      const handoffs = list ? notes.handoffs(desk, limit).map(inShort) : [];
      const [one = null] = list ? [] : handoffId === undefined ? notes.handoffs(desk, 1) : [notes.handoff(desk, handoffId)];
      const data = {
        handoffId: one?.handoffId ?? null,
        createdAt: one?.createdAt ?? null,
        handoff: one?.handoff ?? null,
        handoffs,
        note: UNTRUSTED,
      };
      return { data, brief: list ? counted(handoffs.length, 'hand-off') : (one?.handoff.goal ?? 'no hand-off yet') };
    },
    handoff_write: async ({ handoff }, call) => {
      const { isMasked, ...data } = notes.putHandoff(deskOf(call), handoff);
      return { data, ...warningsOf(isMasked), brief: handoff.goal };
    },
  });

const inShort = ({ handoffId, createdAt, handoff }: Kept) => ({ handoffId, createdAt, goal: handoff.goal });
