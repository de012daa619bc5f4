// A switch of modes is shown before it is made, and rights are told in as few lines as they differ.
import { describe, expect, it } from 'vitest';
import type { HeldRight, Settings } from '#shared/contracts/settings.ts';
import type { Connect } from '../link/client.ts';
import { Refused } from '../link/problem.ts';
import { Access, grouped, type Preview, type SettingsWish } from './access.svelte.ts';

const settings: Settings = { accessMode: 'personal', toolSurface: null, exposeSubagents: false, hiddenOperations: [], projects: [] };
const preview: Preview = { confirmation: 'c'.repeat(64), from: 'personal', to: 'managed', rights: [] };

/** A bridge that switches modes as the contract says. */
function world() {
  let now = settings;
  const sent: SettingsWish[] = [];
  const client = {
    settings_show: async () => ({ settings: now, changedAt: null }),
    settings_change: async (wish: SettingsWish) => {
      sent.push(wish);
      if (wish.confirmation === undefined && wish.accessMode !== undefined) return { applied: false, settings: now, preview };
      if (wish.accessMode !== undefined && wish.confirmation !== preview.confirmation)
        throw new Refused({ code: 'CONFLICT', message: 'Not what was confirmed.', retryable: false });
      now = { ...now, ...(wish.accessMode === undefined ? {} : { accessMode: wish.accessMode }) };
      return { applied: true, settings: now, preview: null };
    },
  };
  return { sent, access: new Access((() => client) as unknown as Connect) };
}

describe('Access', () => {
  it('makes no switch of modes before its effect was shown and confirmed', async () => {
    const { access, sent } = world();
    await access.settings.refresh();
    expect(await access.confirm()).toBe(false);
    expect(await access.change('mode', { accessMode: 'managed' })).toBe(false);
    expect([access.preview, access.settings.value?.accessMode]).toEqual([preview, 'personal']);
    expect(await access.confirm()).toBe(true);
    expect([access.preview, access.settings.value?.accessMode]).toEqual([null, 'managed']);
    expect(sent.map((wish) => wish.confirmation)).toEqual([undefined, preview.confirmation]);
  });

  it('keeps what was shown when the switch is refused', async () => {
    const { access } = world();
    await access.change('mode', { accessMode: 'managed' });
    access.preview = { ...preview, confirmation: 'd'.repeat(64) };
    expect(await access.confirm()).toBe(false);
    expect(access.attempt('mode').problem).toMatchObject({ failure: { code: 'CONFLICT' } });
    expect(access.preview).not.toBeNull();
  });
});

describe('rights of a caller', () => {
  const held = (project: string, scopes: string[], asked: string[] = []): HeldRight => ({
    principal: 'token:t',
    name: 'T',
    projectId: `prj_${project}`,
    project,
    right: { scopes, asked },
  });

  it('are told once for all projects where they are the same, and not where there are none', () => {
    expect(
      grouped([
        held('a', ['read']),
        held('b', ['read', 'write'], ['write']),
        held('c', ['read']),
        held('d', []),
        held('e', ['read'], ['read']),
      ]),
    ).toEqual([
      { projects: ['a', 'c'], right: { scopes: ['read'], asked: [] } },
      { projects: ['b'], right: { scopes: ['read', 'write'], asked: ['write'] } },
      { projects: ['e'], right: { scopes: ['read'], asked: ['read'] } },
    ]);
  });
});
