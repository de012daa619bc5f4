// Takes a change back, or makes it again, and says how that went, with the way back from it.
import type { Parts } from '../../parts.ts';
import type { Turn } from '../../state/standing.ts';

/** Where the reason of a failure is shown beside the button already, it is not said again. */
export async function turnChange(parts: Parts, turn: Turn, { what, isShown = false }: { what: string; isShown?: boolean }): Promise<void> {
  const { changes, language, notices } = parts;
  const words = language.words.change;
  const attempt = changes.attempt(turn.target);
  const made = await changes.turn(turn);
  if (made !== null) {
    const back = { isRedo: !turn.isRedo, target: made, projectId: turn.projectId };
    const action = {
      label: turn.isRedo ? words.undo : words.redo,
      run: () => void turnChange(parts, back, { what }),
      isOpen: () => changes.isStillOpen(back),
    };
    return notices.say(turn.isRedo ? words.redone(what) : words.undone(what), action);
  }
  if (attempt.problem !== null && !isShown) notices.fail(turn.isRedo ? words.notRedone : words.notUndone, attempt.problem);
}
