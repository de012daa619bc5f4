// The owner's choices as operations. Switching the access mode asks first, bound to what it would change.
import { settingsContract } from '#shared/contracts/settings.ts';
import { implement, type Operation } from '../../operation.ts';
import type { Settings } from './service.ts';

export const settingsOperations = (settings: Settings): Operation[] =>
  implement(settingsContract, {
    settings_show: async () => ({ data: await settings.show() }),
    rights_list: async () => ({ data: { accessMode: settings.current().accessMode, rights: await settings.rights() } }),
    settings_change: async (wish, call) => {
      const changed = await settings.change(wish, call.caller.name);
      return { data: changed, brief: changed.applied ? 'settings changed' : `asked first: access mode ${changed.preview?.to ?? ''}` };
    },
  });
