// The live stream over a real socket: each event once and in order, across a break, and only for a live session.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../testing/eventually.ts';
import { openStream, testConsole, type TestConsole } from '../testing/console.ts';
import { SESSION_ENDED } from './feed.ts';

let bridge: TestConsole;
beforeEach(async () => void (bridge = await testConsole()));
afterEach(() => bridge[Symbol.asyncDispose]());

const append = (count: number, text = 'x') => {
  for (let n = 0; n < count; n += 1) bridge.events.append({ session: 's', kind: 'call', projectId: null, body: { text } });
};
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);

async function stream(query = '') {
  const { cookie } = await bridge.signIn();
  return openStream(bridge.url, `/ws${query}`, { headers: { cookie } });
}

describe('stream', () => {
  it('says hello with where it stands, then tells what happens', async () => {
    append(3);
    const { frames, positions, socket } = await stream();
    append(2);
    await eventually(positions).toEqual([4, 5]);
    expect(frames[0]).toMatchObject({ type: 'hello', epoch: bridge.events.epoch, head: 3, version: '0.0.0-test', gap: false });
    expect(frames.find((frame) => frame.type === 'running')).toEqual({ type: 'running', calls: [] });
    socket.close();
  });

  it('resumes after a break without a repeated and without a missing event', async () => {
    const { cookie } = await bridge.signIn();
    const open = (after: number) => openStream(bridge.url, `/ws?after=${after}&epoch=${bridge.events.epoch}`, { headers: { cookie } });
    const seen: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      append(130);
      const { positions, socket, closed } = await open(seen.at(-1) ?? 0);
      append(70);
      // Broken at an arbitrary point of the catching up.
      await eventually(() => positions().length).toBeGreaterThan(40 + round * 20);
      socket.terminate();
      await closed;
      seen.push(...positions());
    }
    const last = await open(seen.at(-1) ?? 0);
    await eventually(() => seen.length + last.positions().length).toBe(800);
    expect([...seen, ...last.positions()]).toEqual(range(1, 800));
    last.socket.close();
  });

  it('says that it cannot resume when the log is shorter than what was seen', async () => {
    append(3);
    const { frames, socket } = await stream('?after=99&epoch=ep_old');
    await eventually(() => frames[0]).toMatchObject({ type: 'hello', head: 3, gap: true });
    socket.close();
  });

  it('says that it cannot resume when the log is a longer one of another state folder', async () => {
    append(30);
    const { frames, positions, socket } = await stream('?after=9&epoch=ep_old');
    await eventually(() => frames[0]).toMatchObject({ type: 'hello', head: 30, gap: true });
    append(1);
    await eventually(positions).toEqual([31]);
    socket.close();
  });

  it('holds no more than a page for a reader that does not read, and then loses nothing', async () => {
    const { cookie } = await bridge.signIn();
    append(300, 'y'.repeat(100_000));
    let pagesRead = 0;
    const { list } = bridge.events;
    bridge.events.list = (query) => ((pagesRead += 1), list(query));
    const reader = await openStream(bridge.url, '/ws?after=0', { headers: { cookie } });
    reader.socket.pause();
    append(300, 'y'.repeat(100_000));
    // A page is 10 MB here, more than the system's own buffers hold: the second cannot have been asked for.
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(pagesRead).toBe(1);
    reader.socket.resume();
    await eventually(() => reader.positions().length).toBe(600);
    expect(reader.positions()).toEqual(range(1, 600));
    reader.socket.close();
  });

  it('shows calls while they run, the last picture always', async () => {
    const { frames, socket } = await stream();
    const call = { operation: 'o', caller: 'c', projectId: null, phase: 'running' as const, startedAt: 1 };
    const begun = Array.from({ length: 50 }, (_, n) => bridge.running.begin({ callId: `c${n}`, ...call }));
    const last = () => frames.filter((frame) => frame.type === 'running').at(-1)?.calls.length;
    await eventually(last).toBe(50);
    for (const each of begun) each.end();
    await eventually(last).toBe(0);
    socket.close();
  });

  it('S06 ends with its session, at once and with a code of its own', async () => {
    const { cookie, csrf } = await bridge.signIn();
    const { closed } = await openStream(bridge.url, '/ws', { headers: { cookie } });
    await fetch(`${bridge.url}/api/session`, { method: 'DELETE', headers: { cookie, 'x-drawbridge-csrf': csrf } });
    expect(await closed).toBe(SESSION_ENDED);
  });

  it('ends when the bridge does', async () => {
    const { closed } = await stream();
    await bridge.restart();
    expect(await closed).toBe(1001);
  });

  it('ends a client that sends more than a word', async () => {
    const { socket, closed } = await stream();
    socket.send('z'.repeat(5_000));
    expect(await closed).toBe(1009);
  });
});

describe('upgrade', () => {
  it('S03 is refused for another origin, without a session, with a token in the address, and off its path', async () => {
    const { cookie, csrf } = await bridge.signIn();
    const secret = cookie.split('=')[1] ?? '';
    const open = (path: string, options: object) =>
      openStream(bridge.url, path, options).then(
        () => 'opened',
        (error: Error) => error.message,
      );
    expect(await open('/ws', { headers: { cookie }, origin: 'https://evil.example' })).toBe('refused with 403');
    expect(await open('/ws', { headers: { cookie }, origin: `http://localhost:${bridge.port}` })).toBe('refused with 403');
    expect(await open('/ws', { headers: { cookie, host: 'evil.example' } })).toBe('refused with 403');
    expect(await open('/ws', {})).toBe('refused with 401');
    expect(await open(`/ws?token=${secret}`, {})).toBe('refused with 401');
    expect(await open(`/ws?session=${secret}&csrf=${csrf}`, {})).toBe('refused with 401');
    expect(await open(`/ws?token=${secret}`, { headers: { cookie } })).toBe('refused with 400');
    expect(await open('/ws?after=-1', { headers: { cookie } })).toBe('refused with 400');
    expect(await open('/other', { headers: { cookie } })).toBe('refused with 404');
    expect(await open('//ws', { headers: { cookie } })).toBe('refused with 404');
    expect(await open('/ws', { headers: { cookie: cookie.replace(secret, 'A'.repeat(43)) } })).toBe('refused with 401');
    expect(await open('/ws', { headers: { cookie }, origin: bridge.url })).toBe('opened');
  });
});
