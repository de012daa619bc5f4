// What the palette offers at this moment. Each item is whole: its words, whether it needs the bridge, and what it does.
import type { Parts } from '../../parts.ts';
import { lineOf } from '../../state/line.ts';
import { languageNames, languages } from '../../state/language.svelte.ts';
import type { PaletteItem } from '../../state/palette.svelte.ts';
import { screens, type Route, type Screen } from '../../state/route.ts';
import type { Wish } from '../../state/router.svelte.ts';
import { copyText } from '../../components/copy.ts';
import { turnChange } from '../changes/turning.ts';

const CALLS = 20;

export function paletteItems(parts: Parts): PaletteItem[] {
  return [...approvalItems(parts), ...screenItems(parts), ...actionItems(parts), ...projectItems(parts), ...callItems(parts)];
}

const to =
  ({ router }: Parts, route: Partial<Route>) =>
  () =>
    router.go({ screen: 'now', open: null, query: {}, ...route });

function screenItems(parts: Parts): PaletteItem[] {
  const names = parts.language.words.nav.screens;
  return screens.map((screen) => ({
    id: `screen ${screen}`,
    group: 'screens',
    title: names[screen],
    more: '',
    needsLink: false,
    run: to(parts, { screen }),
  }));
}

function approvalItems(parts: Parts): PaletteItem[] {
  return parts.approvals.pending.map((approval) => ({
    id: `approval ${approval.approvalId}`,
    group: 'approvals',
    title: approval.summary,
    more: approval.caller.name,
    needsLink: false,
    run: to(parts, { screen: 'approvals', open: { kind: 'approval', id: approval.approvalId } }),
  }));
}

function projectItems(parts: Parts): PaletteItem[] {
  return (parts.projects.list.value ?? []).map((project) => ({
    id: `project ${project.projectId}`,
    group: 'projects',
    title: project.name,
    more: project.root,
    needsLink: false,
    run: to(parts, { screen: 'projects', open: { kind: 'project', id: project.projectId } }),
  }));
}

function callItems(parts: Parts): PaletteItem[] {
  return parts.events.recentRows
    .filter((line) => !line.isOwnRead)
    .slice(0, CALLS)
    .map((line) => ({
      id: `call ${line.position}`,
      group: 'calls',
      title: line.path ?? line.label,
      more: `#${line.position} ${line.label} ${line.who ?? ''} ${line.text}`,
      needsLink: false,
      run: to(parts, { screen: 'activity', open: { kind: 'call', id: String(line.position) } }),
    }));
}

function actionItems(parts: Parts): PaletteItem[] {
  const { account, bridge, language, notices } = parts;
  const { palette: words, common } = language.words;
  const mcpUrl = bridge.status.value?.mcpUrl ?? null;
  const action = (title: string, run: () => void, needsLink = true): PaletteItem => ({
    id: `action ${title}`,
    group: 'actions',
    title,
    more: '',
    needsLink,
    run,
  });
  return [
    ...undoItems(parts),
    action(words.addProject, toField(parts, 'projects', 'add-project')),
    action(words.connectClient, toField(parts, 'connections', 'set-up')),
    action(words.issueToken, toField(parts, 'connections', 'issue-token')),
    action(words.searchActivity, toField(parts, 'activity', 'search'), false),
    action(words.verify, () => {
      to(parts, { screen: 'settings' })();
      void account.verify();
    }),
    ...(mcpUrl === null ? [] : [action(words.copyMcp, () => void copyText(mcpUrl).then(() => notices.say(common.copied)), false)]),
    ...languages.map((tag) => action(words.language(languageNames[tag]), () => void language.choose(tag), false)),
  ];
}

/** Takes back the newest change that stands. */
function undoItems(parts: Parts): PaletteItem[] {
  const { changes, events, language } = parts;
  const line = events.recent.map(lineOf).find(({ changesetId }) => {
    const turn = changesetId === null ? null : changes.turnOf(changes.byId[changesetId]);
    return turn !== null && !turn.isRedo;
  });
  const turn = line === undefined || line.changesetId === null ? null : changes.turnOf(changes.byId[line.changesetId]);
  if (line === undefined || turn === null) return [];
  const what = line.path ?? line.text;
  const title = language.words.palette.undoLast(what);
  return [
    { id: 'undo', group: 'actions', title, more: line.who ?? '', needsLink: true, run: () => void turnChange(parts, turn, { what }) },
  ];
}

function toField(parts: Parts, screen: Screen, wish: Wish): () => void {
  return () => {
    if (parts.router.route.screen !== screen) to(parts, { screen })();
    parts.router.wish = wish;
  };
}
