// Remembers each project's walk and proves it again before every use, so that a repeated search does not walk a large tree anew.
import { isSurveyCurrent, nothingSeen, walk, type Shelves, type Survey } from './walk.ts';

export interface SurveyRequest {
  start: string;
  includeIgnored: boolean;
  /** Directories below `start` to enter; left out, all of them. */
  depth?: number;
  /** The walk ends, incomplete, when this answers true. */
  isOver(): boolean;
}

export interface Catalogue {
  /** Everything below `start` as it is now: nothing that was there before the call began is missed. */
  survey(root: string, request: SurveyRequest): Promise<Survey>;
}

interface Remembered {
  shelves: Shelves;
  surveys: Map<string, Survey>;
  /** One walk at a time for a project: two at once would do the same work twice. */
  last: Promise<unknown>;
}

const ROOTS_MAX = 8;
const SURVEYS_MAX = 8;
const SHELVES_MAX = 50_000;

export function createCatalogue(): Catalogue {
  const roots = new Map<string, Remembered>();
  return {
    async survey(root, request) {
      const remembered = roots.get(root) ?? { shelves: new Map(), surveys: new Map(), last: Promise.resolve() };
      keepNewest(roots, [root, remembered], ROOTS_MAX);
      const turn = remembered.last.then(() => surveyNow(root, remembered, request));
      remembered.last = turn.catch(() => undefined);
      return turn;
    },
  };
}

async function surveyNow(root: string, remembered: Remembered, request: SurveyRequest): Promise<Survey> {
  if (request.isOver()) return { ...nothingSeen(request.start), isComplete: false, unseen: [request.start] };
  const key = `${request.includeIgnored ? 'all' : 'kept'}:${request.depth ?? 'all'}:${request.start}`;
  const known = remembered.surveys.get(key);
  if (known !== undefined && (await isSurveyCurrent(root, known))) return known;
  remembered.surveys.delete(key);
  if (remembered.shelves.size > SHELVES_MAX) remembered.shelves.clear();
  const survey = await walk(root, remembered.shelves, request);
  if (survey.isComplete) keepNewest(remembered.surveys, [key, survey], SURVEYS_MAX);
  return survey;
}

function keepNewest<V>(map: Map<string, V>, [key, value]: [string, V], max: number): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > max && oldest !== undefined) map.delete(oldest);
}
