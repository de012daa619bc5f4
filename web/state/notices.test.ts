// Words about what was done: they leave by themselves, wait while they are looked at, and a failure stays.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Notices, NOTICES_MAX, SHOWN_MS } from './notices.svelte.ts';

const texts = (notices: Notices) => notices.shown.map((notice) => notice.text);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('notices', () => {
  it('leave after a while', () => {
    const notices = new Notices();
    notices.say('done');
    vi.advanceTimersByTime(SHOWN_MS - 1);
    expect(texts(notices)).toEqual(['done']);
    vi.advanceTimersByTime(1);
    expect(texts(notices)).toEqual([]);
  });

  it('are at most two, the newest, and the others are counted', () => {
    const notices = new Notices();
    for (const text of ['a', 'b', 'c', 'd', 'e']) notices.say(text);
    expect(texts(notices)).toEqual(['d', 'e']);
    expect(notices.covered).toBe(3);
    expect(notices.shown).toHaveLength(NOTICES_MAX);
  });

  it('wait while they are looked at, and then have their whole time again', () => {
    const notices = new Notices();
    notices.say('before');
    vi.advanceTimersByTime(SHOWN_MS - 10);
    notices.hold(true);
    notices.say('meanwhile');
    vi.advanceTimersByTime(SHOWN_MS * 10);
    expect(texts(notices)).toEqual(['before', 'meanwhile']);
    notices.hold(false);
    vi.advanceTimersByTime(SHOWN_MS - 1);
    expect(texts(notices)).toEqual(['before', 'meanwhile']);
    vi.advanceTimersByTime(1);
    expect(texts(notices)).toEqual([]);
  });

  it('of a failure stay until they are closed, also below newer words', () => {
    const notices = new Notices();
    notices.fail('broken', { kind: 'lost' });
    for (const text of ['a', 'b']) notices.say(text);
    expect(texts(notices)).toEqual(['a', 'b']);
    vi.advanceTimersByTime(SHOWN_MS * 10);
    expect(texts(notices)).toEqual(['broken']);
    notices.close(notices.shown[0]?.id ?? 0);
    expect(texts(notices)).toEqual([]);
  });

  it('are not said twice: the same words are one, and stay their whole time', () => {
    const notices = new Notices();
    notices.say('allowed');
    notices.say('copied');
    vi.advanceTimersByTime(SHOWN_MS - 1);
    notices.say('allowed');
    expect(texts(notices)).toEqual(['copied', 'allowed']);
    vi.advanceTimersByTime(SHOWN_MS - 1);
    expect(texts(notices)).toEqual(['allowed']);
  });

  it('leave with the chance they offer, once it was taken otherwise', () => {
    const notices = new Notices();
    let isOpen = true;
    notices.say('undone', { label: 'Redo', run: () => undefined, isOpen: () => isOpen });
    notices.say('other', { label: 'Add back', run: () => undefined });
    expect(texts(notices)).toEqual(['undone', 'other']);
    isOpen = false;
    notices.say('redone');
    expect(texts(notices)).toEqual(['other', 'redone']);
  });
});
