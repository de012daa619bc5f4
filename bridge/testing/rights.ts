// The owner's choices and grants over a test's own store, with no caller to preview for.
import { createEvents, type Events } from '../capabilities/events/service.ts';
import { createGrants } from '../capabilities/grants/service.ts';
import { createSettings, type SettingsParts } from '../capabilities/settings/service.ts';

type Over = Pick<SettingsParts, 'store' | 'clock' | 'projects'> & { events?: Events };

export function rightsOver({ store, clock, projects, events = createEvents({ store, clock }) }: Over) {
  const grants = createGrants({ store, clock, events });
  const settings = createSettings({ store, clock, events, projects, callers: () => [], isHideable: () => true });
  return { grants, settings };
}
