// The owner's choices over a real store: they only narrow, a switch of modes asks first, and what cannot be read counts as the narrowest.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperationContract, Scope } from '#shared/contract.ts';
import { contracts } from '#shared/contracts.ts';
import type { Ceiling, Trust } from '#shared/contracts/settings.ts';
import type { Caller, CallerKind } from '../../operation.ts';
import { testState, type TestState } from '../../testing/state.ts';
import { createEvents } from '../events/service.ts';
import { createSettings, type Settings } from './service.ts';

const shop = { projectId: 'prj_00000001', workspaceId: 'ws_1', name: 'shop', root: '/nowhere', epoch: 'ep' };
const blog = { projectId: 'prj_00000002', workspaceId: 'ws_2', name: 'blog', root: '/nowhere', epoch: 'ep' };
const caller = (over: Partial<Caller> = {}): Caller => ({
  ...{ kind: 'client', principal: 'token:t1', name: 'C', scopes: new Set<Scope>(['read', 'write', 'exec']), projectIds: null },
  ...over,
});
const listed = caller({ principal: 'token:t2', name: 'L', projectIds: new Set([shop.projectId]) });

const build = (state: TestState): Settings =>
  createSettings({
    ...{ ...state, events: createEvents(state), projects: async () => [shop, blog], callers: () => [caller(), listed] },
    isHideable: (name) => name === 'write_file',
  });

async function switchTo(settings: Settings, accessMode: 'personal' | 'managed'): Promise<void> {
  const { preview } = await settings.change({ accessMode }, 'desk');
  await settings.change({ accessMode, confirmation: preview?.confirmation }, 'desk');
}

const { write_file, edit_file, read_files } = contracts as Record<string, OperationContract>;

describe('personal mode', () => {
  it('is the default: every registered project is usable at once and what can be undone is not asked', () => {
    using state = testState();
    const settings = build(state);
    expect(settings.current().accessMode).toBe('personal');
    expect(settings.narrow(caller(), shop)).toMatchObject({ projectIds: null, scopes: new Set(['read', 'write', 'exec']) });
    expect(settings.question(shop, write_file as OperationContract, {})).toBeNull();
  });

  it('a ceiling holds in it too', async () => {
    using state = testState();
    const settings = build(state);
    await settings.change({ projects: [{ projectId: shop.projectId, ceiling: 'edit' }] }, 'desk');
    expect([...settings.narrow(caller(), shop).scopes]).toEqual(['read', 'write']);
    expect([...settings.narrow(caller(), blog).scopes]).toEqual(['read', 'write', 'exec']);
    expect([...settings.narrow(caller({ kind: 'owner' }), shop).scopes]).toEqual(['read', 'write', 'exec']);
  });
});

describe('managed mode', () => {
  it('gives nothing that the owner did not set: no list, no project; no trust, a question', async () => {
    using state = testState();
    const settings = build(state);
    await switchTo(settings, 'managed');
    expect(settings.narrow(caller(), null).projectIds).toEqual(new Set());
    expect(settings.narrow(listed, null).projectIds).toEqual(new Set([shop.projectId]));
    expect(settings.question(shop, write_file as OperationContract, {})).toContain('"inspect"');
    expect(settings.question(shop, edit_file as OperationContract, { dryRun: true })).toBeNull();
    expect(settings.question(shop, read_files as OperationContract, {})).toBeNull();
  });

  it.each<[Trust, Scope, boolean]>([
    ['inspect', 'write', true],
    ['edit', 'write', false],
    ['trusted', 'write', false],
    ['inspect', 'exec', true],
    ['edit', 'exec', true],
    ['trusted', 'exec', false],
  ])('a project on %s: a changing call of scope %s is asked: %s', async (trust, scope, isAsked) => {
    using state = testState();
    const settings = build(state);
    await switchTo(settings, 'managed');
    await settings.change({ projects: [{ projectId: shop.projectId, trust }] }, 'desk');
    const contract = { ...(write_file as OperationContract), scope };
    expect(settings.question(shop, contract, {}) !== null).toBe(isAsked);
    expect(settings.question(shop, { ...contract, action: 'control' }, {})).toBeNull();
  });

  it('S22 lets no bytes of a project leave, and no AI profile see it, unless that was chosen for it', async () => {
    using state = testState();
    const settings = build(state);
    const out = { paths: [], host: 'example.com' };
    const seen = { paths: [], profile: 'cloud' };
    expect(() => settings.requireReach(shop, out)).not.toThrow();
    await switchTo(settings, 'managed');
    expect(() => settings.requireReach(shop, out)).toThrow('leave this machine');
    expect(() => settings.requireReach(shop, seen)).toThrow('may not see');
    await settings.change({ projects: [{ projectId: shop.projectId, egress: 'asked', profiles: ['cloud'] }] }, 'desk');
    expect(() => settings.requireReach(shop, out)).not.toThrow();
    expect(() => settings.requireReach(shop, seen)).not.toThrow();
    expect(() => settings.requireReach(shop, { ...seen, profile: 'other' })).toThrow('may not see');
  });
});

describe('rights as they stand', () => {
  it('are told for every caller in every project', async () => {
    using state = testState();
    const settings = build(state);
    await settings.change({ projects: [{ projectId: shop.projectId, ceiling: 'edit' }] }, 'desk');
    expect((await settings.rights()).map(({ name, project, right }) => [name, project, right.scopes.join(), right.asked.join()])).toEqual([
      ['C', 'shop', 'read,write', ''],
      ['L', 'shop', 'read,write', ''],
      ['C', 'blog', 'read,write,exec', 'exec'],
      ['L', 'blog', '', ''],
    ]);
  });
});

describe('switching modes', () => {
  it('asks first and shows whose rights change, where and how', async () => {
    using state = testState();
    const settings = build(state);
    const { applied, preview } = await settings.change({ accessMode: 'managed' }, 'desk');
    expect([applied, settings.current().accessMode, preview?.from, preview?.to]).toEqual([false, 'personal', 'personal', 'managed']);
    expect(preview?.rights.map(({ name, project, before, after }) => [name, project, before, after])).toEqual([
      ['C', 'shop', { scopes: ['read', 'write', 'exec'], asked: ['exec'] }, { scopes: [], asked: [] }],
      [
        'L',
        'shop',
        { scopes: ['read', 'write', 'exec'], asked: ['exec'] },
        { scopes: ['read', 'write', 'exec'], asked: ['write', 'exec'] },
      ],
      ['C', 'blog', { scopes: ['read', 'write', 'exec'], asked: ['exec'] }, { scopes: [], asked: [] }],
    ]);
    expect(createEvents(state).list({ limit: 5 })).toEqual([]);
  });

  it('is confirmed for exactly what was on the screen', async () => {
    using state = testState();
    const settings = build(state);
    const confirmation = (await settings.change({ accessMode: 'managed' }, 'desk')).preview?.confirmation;
    const other = settings.change({ accessMode: 'managed', exposeSubagents: true, confirmation }, 'desk');
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    await settings.change({ projects: [{ projectId: blog.projectId, trust: 'trusted' }] }, 'phone');
    await expect(settings.change({ accessMode: 'managed', confirmation }, 'desk')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(settings.current().accessMode).toBe('personal');
    const again = (await settings.change({ accessMode: 'managed' }, 'desk')).preview?.confirmation;
    expect(await settings.change({ accessMode: 'managed', confirmation: again }, 'desk')).toMatchObject({ applied: true, preview: null });
    expect(createEvents(state).list({ limit: 1 })[0]).toMatchObject({
      kind: 'settings.changed',
      body: { by: 'desk', summary: 'accessMode: "managed"' },
    });
  });

  it('back asks again, and the old confirmation is no answer', async () => {
    using state = testState();
    const settings = build(state);
    const confirmation = (await settings.change({ accessMode: 'managed' }, 'desk')).preview?.confirmation;
    await settings.change({ accessMode: 'managed', confirmation }, 'desk');
    await expect(settings.change({ accessMode: 'personal', confirmation }, 'desk')).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await settings.change({ accessMode: 'personal' }, 'desk')).applied).toBe(false);
  });
});

describe('what is kept', () => {
  it('changes what is named and nothing else, and is there after a restart', async () => {
    using state = testState();
    const settings = build(state);
    await settings.change({ toolSurface: 'hybrid', hiddenOperations: ['write_file', 'write_file'] }, 'desk');
    await settings.change({ exposeSubagents: true, projects: [{ projectId: shop.projectId, trust: 'edit' }] }, 'desk');
    await settings.change({ projects: [{ projectId: shop.projectId, profiles: null }] }, 'desk');
    const { settings: shown } = await build(state).show();
    expect(shown).toMatchObject({ accessMode: 'personal', toolSurface: 'hybrid', exposeSubagents: true, hiddenOperations: ['write_file'] });
    expect(shown.projects).toEqual([
      { projectId: shop.projectId, name: 'shop', ceiling: 'full', trust: 'edit', profiles: null, egress: 'never', isSet: true },
      { projectId: blog.projectId, name: 'blog', ceiling: 'full', trust: 'inspect', profiles: [], egress: 'never', isSet: false },
    ]);
  });

  it('refuses a project or an operation that is not there and changes nothing', async () => {
    using state = testState();
    const settings = build(state);
    const unknown = settings.change({ exposeSubagents: true, projects: [{ projectId: 'prj_00000009', trust: 'edit' }] }, 'desk');
    await expect(unknown).rejects.toMatchObject({ code: 'NOT_FOUND' });
    await expect(settings.change({ exposeSubagents: true, hiddenOperations: ['nope'] }, 'desk')).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(settings.current().exposeSubagents).toBe(false);
  });

  it.each(['', '{', 'null', '{"accessMode":"open"}', '[]'])('that cannot be read, as %j, counts as managed', (value) => {
    using state = testState();
    state.store.prepare("INSERT INTO settings VALUES ('choices', ?)").run(value);
    expect(build(state).current()).toMatchObject({ accessMode: 'managed', exposeSubagents: false });
  });

  it('of a project that cannot be read counts as the narrowest choice', async () => {
    using state = testState();
    state.store.prepare("INSERT INTO project_access VALUES (?, 'ws_1', 'all', 'very', '{', 'yes')").run(shop.projectId);
    const [row] = (await build(state).show()).settings.projects;
    expect(row).toMatchObject({ ceiling: 'read', trust: 'inspect', profiles: [], egress: 'never' });
  });

  it('trust does not follow a folder to another place, a ceiling does', async () => {
    using state = testState();
    const settings = build(state);
    await switchTo(settings, 'managed');
    await settings.change({ projects: [{ projectId: shop.projectId, trust: 'trusted', ceiling: 'edit', egress: 'asked' }] }, 'desk');
    const moved = { ...shop, workspaceId: 'ws_9' };
    expect(settings.question(shop, write_file as OperationContract, {})).toBeNull();
    expect(settings.question(moved, write_file as OperationContract, {})).toContain('"inspect"');
    expect([...settings.narrow(listed, moved).scopes]).toEqual(['read', 'write']);
    expect(() => settings.requireReach(moved, { paths: [], host: 'example.com' })).toThrow('leave this machine');
  });
});

describe('narrowing', () => {
  it('never gives a scope or a project that the caller did not hold, whatever is chosen', async () => {
    using state = testState();
    const settings = build(state);
    const scopes = fc.subarray<Scope>(['read', 'write', 'exec', 'owner']);
    const kind = fc.constantFrom<CallerKind>('client', 'stdio', 'agent', 'viewer', 'plugin');
    const projectIds = fc.option(fc.subarray([shop.projectId, blog.projectId]));
    const chosen = fc.record({
      mode: fc.constantFrom<'personal' | 'managed'>('personal', 'managed'),
      ceiling: fc.constantFrom<Ceiling>('read', 'edit', 'full'),
    });
    await fc.assert(
      fc.asyncProperty(fc.tuple(scopes, kind, projectIds), chosen, async ([held, as, ids], { mode, ceiling }) => {
        await settings.change({ projects: [{ projectId: shop.projectId, ceiling }] }, 'desk');
        await switchTo(settings, mode);
        const before = caller({ kind: as, scopes: new Set(held), projectIds: ids === null ? null : new Set(ids) });
        const after = settings.narrow(before, shop);
        expect([...after.scopes].filter((scope) => !before.scopes.has(scope) || scope === 'owner')).toEqual([]);
        expect(settings.narrow(after, shop)).toEqual(after);
        if (before.projectIds !== null) expect(after.projectIds).toEqual(before.projectIds);
        if (as === 'viewer' || ceiling === 'read') expect([...after.scopes].filter((scope) => scope !== 'read')).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });
});
