// What the screen states about calls and callers is what was observed, and nothing more.
import { describe, expect, it } from 'vitest';
import type { BridgeEvent, CallBody, EventKind } from '#shared/events.ts';
import { agentsOf, isAtWork } from './agents.ts';
import { lineOf } from './line.ts';
import { matches, type Wanted } from './matching.ts';

const NOW = 1_000_000_000;

function event(kind: EventKind, body: Record<string, unknown>, over: Partial<BridgeEvent> = {}): BridgeEvent {
  const place = { position: 7, session: 's', generation: 'g', sequence: 1, projectId: 'prj_shop0000', run: null, at: NOW, hash: 'h' };
  return { ...place, kind, body, ...over };
}

function call(over: Partial<CallBody> = {}, place: Partial<BridgeEvent> = {}): BridgeEvent {
  const body: CallBody = {
    operation: 'edit_file',
    action: 'mutate-files',
    caller: { kind: 'client', name: 'Claude Code', principal: 'token:1' },
    surface: 'mcp',
    arguments: { path: 'src/a.ts' },
    argumentsHash: 'f'.repeat(64),
    code: 'OK',
    message: null,
    brief: 'edited src/a.ts',
    changesetId: 'chg_1',
    approvalId: null,
    replayed: false,
    durationMs: 3,
    ...over,
  };
  return event('call', body, place);
}

describe('lineOf', () => {
  it.each([
    [{}, 'done', 'edited src/a.ts'],
    [{ replayed: true }, 'replayed', 'edited src/a.ts'],
    [{ refused: 0 }, 'done', 'edited src/a.ts'],
    [{ refused: 2 }, 'partly', 'edited src/a.ts'],
    [{ code: 'FILE_CHANGED', message: 'It changed.', brief: null }, 'refused', 'It changed.'],
    [{ code: 'APPROVAL_REQUIRED', message: 'Asked.' }, 'asked', 'Asked.'],
    [{ code: 'INTERNAL_ERROR', message: 'A fault.' }, 'failed', 'A fault.'],
  ] as const)('tells how a call ended: %j', (over, ending, text) => {
    expect(lineOf(call(over))).toMatchObject({ ending, text, path: 'src/a.ts', who: 'Claude Code' });
  });

  it('tells events that are no calls by what they carry', () => {
    expect(
      lineOf(event('approval.decided', { decision: 'deny', by: 'Chrome on Linux', note: 'not now', approvalId: 'apr_1' })),
    ).toMatchObject({ ending: 'denied', who: 'Chrome on Linux', text: 'not now', approvalId: 'apr_1' });
    expect(lineOf(event('project.added', { name: 'shop', root: '/srv/shop' }))).toMatchObject({ ending: 'added', path: '/srv/shop' });
    expect(lineOf(event('access.refused', { surface: 'console', peer: '127.0.0.1', what: 'link' }))).toMatchObject({ ending: 'refused' });
  });

  it.each([
    ['approval.requested', { caller: 'Claude Code' }, { ending: 'asked', who: 'Claude Code', text: 'edit_file · Edit ci.yml' }],
    ['approval.decided', { decision: 'approve', by: 'me' }, { ending: 'allowed', who: 'me', text: 'edit_file · Edit ci.yml' }],
    ['approval.decided', { decision: 'deny', by: 'me', note: 'no' }, { ending: 'denied', text: 'edit_file · Edit ci.yml · no' }],
  ] as const)('names what was asked and answered: %s %j', (kind, over, expected) => {
    expect(lineOf(event(kind, { operation: 'edit_file', summary: 'Edit ci.yml', ...over }))).toMatchObject(expected);
  });

  it('survives a body that is not what it expects', () => {
    expect(lineOf(event('change.recovered', { changesetId: 7, outcome: null })).text).toBe('');
    expect(lineOf(call({ arguments: 'text' })).path).toBeNull();
  });
});

describe('agentsOf', () => {
  const at = (ageMs: number, over: Partial<CallBody> = {}) => call(over, { at: NOW - ageMs });
  const other = { kind: 'stdio', name: 'Cursor', principal: 'stdio:1' };

  it('says active within a minute, not seen after it, nothing after a quarter of an hour', () => {
    const events = [at(5_000), at(6_000), at(240_000, { caller: other }), at(3_600_000, { caller: { ...other, principal: 'token:9' } })];
    expect(agentsOf({ events, running: [], nowMs: NOW, isLinked: true }).map(({ name, state, calls }) => [name, state, calls])).toEqual([
      ['Claude Code', 'active', 2],
      ['Cursor', 'quiet', 1],
    ]);
    const seen = agentsOf({ events, running: [], nowMs: NOW, isLinked: true });
    expect(seen.filter(isAtWork).map(({ name }) => name)).toEqual(['Claude Code']);
  });

  it('claims nobody at work without the link', () => {
    const running = [{ callId: 'c', operation: 'search_code', caller: 'Codex', projectId: null, phase: 'running' as const, startedAt: 0 }];
    expect(agentsOf({ events: [at(5_000)], running, nowMs: NOW, isLinked: false }).map(({ name, state }) => [name, state])).toEqual([
      ['Claude Code', 'quiet'],
    ]);
  });

  it('leaves out the owner and calls too short to be seen', () => {
    const owner = at(0, { caller: { kind: 'owner', name: 'Chrome', principal: 'owner' } });
    const running = [
      { callId: 'c1', operation: 'search_code', caller: 'mcp', projectId: null, phase: 'running' as const, startedAt: NOW - 10 },
      { callId: 'c2', operation: 'apply_changes', caller: 'mcp', projectId: null, phase: 'queued' as const, startedAt: NOW - 2_000 },
    ];
    expect(agentsOf({ events: [owner], running, nowMs: NOW, isLinked: true }).map(({ key, state }) => [key, state])).toEqual([
      ['c2', 'queued'],
    ]);
  });
});

describe('matches', () => {
  const wanted = (over: Partial<Wanted>): Wanted => ({ text: '', projectId: '', show: 'all', ...over });

  it.each([
    ['EDIT claude', true],
    ['src/a.ts', true],
    ['#7', true],
    ['chg_1', true],
    ['nothing', false],
    ['edit nothing', false],
  ])('searches the fields a person would look at: %s', (text, expected) => {
    expect(matches(call(), wanted({ text }))).toBe(expected);
  });

  it.each(['chg_4g2zr5yv9c20', 'chg_4g2zr5yv', '4G2ZR5YV', 'src/b.ts'])('finds a recovered change by %s', (text) => {
    const told = { changesetId: 'chg_4g2zr5yv9c20', status: 'failed', summary: 'Edit src/a.ts', files: ['src/a.ts', 'src/b.ts'] };
    for (const show of ['all', 'changes'] as const) expect(matches(event('change.recovered', told), wanted({ text, show }))).toBe(true);
  });

  it('keeps to the project and to the kind that was chosen', () => {
    expect(matches(call(), wanted({ projectId: 'prj_other' }))).toBe(false);
    expect(matches(call(), wanted({ show: 'changes' }))).toBe(true);
    expect(matches(call({ changesetId: null }), wanted({ show: 'changes' }))).toBe(false);
    expect(matches(call({ code: 'FORBIDDEN' }), wanted({ show: 'refused' }))).toBe(true);
    expect(matches(call({ refused: 1 }), wanted({ show: 'refused' }))).toBe(true);
    expect(matches(call(), wanted({ show: 'refused' }))).toBe(false);
    expect(matches(call(), wanted({ show: 'approvals' }))).toBe(false);
  });
});
