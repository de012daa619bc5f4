// The owner's choices and what they leave of each caller's rights. Read on every call, changed by the owner alone, told in the account.
import { canonicalJson } from '#shared/canonical.ts';
import type { OperationContract } from '#shared/contract.ts';
import type { AccessMode, HeldRight, Right, RightChange, Settings as Shown } from '#shared/contracts/settings.ts';
import type { Clock } from '../../base/clock.ts';
import { sha256 } from '../../base/digest.ts';
import type { Store } from '../../base/store/store.ts';
import { Failed } from '../../failed.ts';
import type { Caller, ProjectHandle, Touches } from '../../operation.ts';
import type { Events } from '../events/service.ts';
import { isTrusted, narrowCaller, narrowIn, rightOf, trustFor, type Chosen } from './policy.ts';
import { chosenFor, settingRows, type General } from './rows.ts';

type Place = Pick<ProjectHandle, 'projectId' | 'workspaceId' | 'name'>;
type ProjectWish = { projectId: string } & { [K in keyof Chosen]?: Chosen[K] | undefined };

export type Wish = { [K in keyof General]?: General[K] | undefined } & {
  projects?: ProjectWish[] | undefined;
  confirmation?: string | undefined;
};

export interface Changed {
  applied: boolean;
  settings: Shown;
  preview: { confirmation: string; from: AccessMode; to: AccessMode; rights: RightChange[] } | null;
}

export interface Settings {
  /** What the surfaces go by. */
  current(): General;
  show(): Promise<{ settings: Shown; changedAt: number | null }>;
  /** Who may do what where, as things stand. */
  rights(): Promise<HeldRight[]>;
  change(wish: Wish, by: string): Promise<Changed>;
  narrow(caller: Caller, project: ProjectHandle | null): Caller;
  question(project: ProjectHandle, contract: OperationContract, input: Record<string, unknown>): string | null;
  requireReach(project: ProjectHandle, touches: Touches): void;
}

export interface SettingsParts {
  store: Store;
  clock: Clock;
  events: Events;
  /** The registered projects. */
  projects: () => Promise<Place[]>;
  /** Who could call in these projects, for the preview of a switch. */
  callers: (projectIds: readonly string[]) => Caller[];
  /** What the owner may hide. */
  isHideable: (operation: string) => boolean;
}

/** Choices with the projects they are about. */
interface State {
  general: General;
  places: readonly Place[];
  chosen: (place: Pick<Place, 'projectId' | 'workspaceId'>) => Chosen & { isSet: boolean };
}

export function createSettings(parts: SettingsParts): Settings {
  const rows = settingRows(parts.store);
  // One process owns the store, so what it wrote last is what holds.
  let { general, changedAt } = rows.general();
  let access = rows.access();
  const chosen = (place: Pick<Place, 'projectId' | 'workspaceId'>) => chosenFor(access.get(place.projectId), place.workspaceId);
  const stateNow = async (): Promise<State> => {
    const places = await parts.projects();
    return { general, places, chosen };
  };

  function write(next: State, wish: Wish, by: string): void {
    const now = parts.clock.now();
    const change = unconfirmed(wish);
    parts.store.transaction(() => {
      rows.putGeneral(next.general, now);
      for (const place of next.places.filter(({ projectId }) => wish.projects?.some((one) => one.projectId === projectId)))
        rows.putAccess(place, next.chosen(place));
      parts.events.append({
        session: 'owner',
        kind: 'settings.changed',
        projectId: null,
        body: { by, summary: summaryOf(change), change },
      });
    })();
    ({ general, changedAt } = rows.general());
    access = rows.access();
  }

  return {
    current: () => general,
    show: async () => ({ settings: shown(await stateNow()), changedAt }),
    rights: async () => rightsIn(await stateNow(), parts.callers),
    async change(wish, by) {
      const before = await stateNow();
      requireKnown(parts, before, wish);
      const next = changed(before, wish);
      const preview = before.general.accessMode === next.general.accessMode ? null : previewOf(parts, { before, next, wish });
      if (preview !== null && wish.confirmation === undefined) return { applied: false, settings: shown(before), preview };
      if (preview !== null && wish.confirmation !== preview.confirmation) throw notOnScreen();
      write(next, wish, by);
      return { applied: true, settings: shown(await stateNow()), preview: null };
    },
    narrow(caller, project) {
      const admitted = narrowCaller(caller, general.accessMode);
      return project === null ? admitted : narrowIn(admitted, chosen(project).ceiling);
    },
    question(project, contract, input) {
      if (general.accessMode === 'personal') return null;
      const { trust } = chosen(project);
      return isTrusted(trust, trustFor(contract, input)) ? null : `This project is set to "${trust}", so such a call is asked for.`;
    },
    requireReach(project, touches) {
      if (general.accessMode === 'managed') requireReach(chosen(project), touches);
    },
  };
}

function requireReach({ egress, profiles }: Chosen, { host, profile }: Touches): void {
  if (host !== undefined && egress === 'never')
    throw new Failed('FORBIDDEN', 'Nothing of this project may leave this machine, so the call was refused. Nothing was done.');
  if (profile !== undefined && profiles !== null && !profiles.includes(profile))
    throw new Failed('FORBIDDEN', 'This AI profile may not see this project, so the call was refused. Nothing was done.');
}

function requireKnown({ isHideable }: SettingsParts, { places }: State, { projects = [], hiddenOperations = [] }: Wish): void {
  if (projects.some(({ projectId }) => !places.some((place) => place.projectId === projectId)))
    throw new Failed('NOT_FOUND', 'No project of that id is registered. Nothing was changed.');
  if (!hiddenOperations.every(isHideable))
    throw new Failed('INVALID_INPUT', 'One of these operations does not exist or cannot be hidden. Nothing was changed.');
}

const notOnScreen = (): Failed =>
  new Failed('CONFLICT', 'What would change is not what was confirmed any more. Nothing was changed.', {
    recovery: 'Ask for the change again without a confirmation, look at it, and confirm that.',
  });

function changed({ general, places, chosen }: State, wish: Wish): State {
  const wishes = new Map(wish.projects?.map(({ projectId, ...one }) => [projectId, one]));
  return {
    general: {
      accessMode: wish.accessMode ?? general.accessMode,
      toolSurface: wish.toolSurface === undefined ? general.toolSurface : wish.toolSurface,
      exposeSubagents: wish.exposeSubagents ?? general.exposeSubagents,
      hiddenOperations: wish.hiddenOperations === undefined ? general.hiddenOperations : [...new Set(wish.hiddenOperations)].sort(),
    },
    places,
    chosen(place) {
      const { isSet, ...now } = chosen(place);
      const one = wishes.get(place.projectId);
      if (one === undefined) return { isSet, ...now };
      return {
        ceiling: one.ceiling ?? now.ceiling,
        trust: one.trust ?? now.trust,
        profiles: one.profiles === undefined ? now.profiles : one.profiles,
        egress: one.egress ?? now.egress,
        isSet: true,
      };
    },
  };
}

const unconfirmed = (wish: Wish): Wish => ({ ...wish, confirmation: undefined });

/** The confirmation binds the choices before, the wish, and everything that was shown of its effect. */
function previewOf({ callers }: SettingsParts, { before, next, wish }: { before: State; next: State; wish: Wish }) {
  const after = rightsIn(next, callers);
  const rights = rightsIn(before, callers).flatMap(({ right, ...who }, at): RightChange[] => {
    const will = after[at]?.right ?? right;
    return canonicalJson(right) === canonicalJson(will) ? [] : [{ ...who, before: right, after: will }];
  });
  const confirmation = sha256(canonicalJson({ now: shown(before), change: unconfirmed(wish), rights }));
  return { confirmation, from: before.general.accessMode, to: next.general.accessMode, rights };
}

/** Project by project, in each of them caller by caller. */
function rightsIn({ general, places, chosen }: State, callers: SettingsParts['callers']): HeldRight[] {
  const everyone = callers(places.map((place) => place.projectId));
  return places.flatMap((place) => {
    // A program over stdio stands for those that are started in this folder.
    const here = everyone.filter(({ homeId }) => homeId === undefined || homeId === place.projectId);
    return here.map((caller) => {
      const right: Right = rightOf(caller, place, { mode: general.accessMode, chosen: chosen(place) });
      return { principal: caller.principal, name: caller.name, projectId: place.projectId, project: place.name, right };
    });
  });
}

function shown({ general, places, chosen }: State): Shown {
  const projects = places.map((place) => {
    const { profiles, ...one } = chosen(place);
    return { projectId: place.projectId, name: place.name, ...one, profiles: profiles === null ? null : [...profiles] };
  });
  return { ...general, hiddenOperations: [...general.hiddenOperations], projects };
}

function summaryOf({ projects = [], ...general }: Wish): string {
  const named = Object.entries(general).flatMap(([key, value]) => (value === undefined ? [] : [`${key}: ${JSON.stringify(value)}`]));
  return [...named, ...(projects.length === 0 ? [] : [`projects: ${projects.length}`])].join(', ');
}
