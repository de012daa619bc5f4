// Real programs behind the walls, each with its canary: the same deed done without them.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findProgram } from './find.ts';
import { walled, type Walls } from './sandbox.ts';

const bwrap = findProgram('bwrap', { outside: [] });
let base: string;
let project: string;
let home: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'drawbridge-walls-')));
  [project, home] = [join(base, 'home/code/shop'), join(base, 'home')];
  mkdirSync(join(project, '.git/hooks'), { recursive: true });
  mkdirSync(join(home, '.cache'));
  writeFileSync(join(home, '.ssh-key'), 'CANARY');
  writeFileSync(join(project, 'a.txt'), 'alpha\n');
});
afterEach(() => rmSync(base, { recursive: true }));

const walls = (more: Partial<Walls> = {}): Walls => ({
  writable: [project],
  readonly: [join(project, '.git')],
  hidden: [],
  hasNetwork: false,
  home,
  ...more,
});

function sh(script: string, more: Partial<Walls> = {}) {
  if (bwrap === null) throw new Error('The tests need bubblewrap: apt-get install bubblewrap.');
  const { file, args } = walled(bwrap, { file: '/bin/sh', args: ['-c', script], cwd: project }, walls(more));
  const { status, stdout, stderr } = spawnSync(file, args, { encoding: 'utf8', env: { PATH: process.env['PATH'], HOME: home } });
  return { status, stdout, stderr };
}
const plain = (script: string) => execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', cwd: project });

describe('the sandbox', () => {
  it('lets a program read and write in the project and its caches', () => {
    expect(sh(`cat a.txt; echo b > b.txt; echo c > '${home}/.cache/c'`)).toMatchObject({ status: 0, stdout: 'alpha\n' });
    expect([readFileSync(join(project, 'b.txt'), 'utf8'), readFileSync(join(home, '.cache/c'), 'utf8')]).toEqual(['b\n', 'c\n']);
  });

  it.each([
    ['beside the project', () => join(home, 'code/other')],
    ['in the home', () => join(home, '.bashrc')],
    ['in .git', () => join(project, '.git/hooks/pre-commit')],
    ['in a system folder', () => '/usr/drawbridge-canary'],
  ])('S10 nothing is written %s', (_where, path) => {
    sh(`echo x > '${path()}'`);
    expect(existsSync(path())).toBe(false);
  });

  it('S10 the canary: without the walls it is written', () => {
    plain(`echo x > '${join(home, '.bashrc')}'`);
    expect(existsSync(join(home, '.bashrc'))).toBe(true);
  });

  it('S15 sees nothing of the home, of hidden folders and of other programs', () => {
    const state = join(base, 'state');
    mkdirSync(state);
    writeFileSync(join(state, 'key'), 'CANARY');
    const look = `cat '${join(home, '.ssh-key')}' '${join(state, 'key')}'; ls /proc | grep -c '^[0-9]'; ls /run /tmp`;
    expect(plain(`cat '${join(home, '.ssh-key')}'`)).toBe('CANARY');
    const { stdout } = sh(look, { hidden: [state] });
    expect(stdout).not.toContain('CANARY');
    expect(Number(/^\d+/m.exec(stdout)?.[0])).toBeLessThan(10);
  });

  it('S22 reaches no listener of this machine', async () => {
    const server = createServer((socket) => socket.end('CANARY'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const script = `require('net').connect(${port}, '127.0.0.1').on('connect', () => { console.log('connected'); process.exit(); }).on('error', (e) => console.log(e.code))`;
    const node = (more: Partial<Walls>) => sh(`'${process.execPath}' -e "${script}"`, more);
    try {
      expect(node({}).stdout).toMatch(/ECONNREFUSED|ENETUNREACH|EADDRNOTAVAIL/);
      expect(node({ hasNetwork: true }).stdout).toBe('connected\n');
    } finally {
      server.close();
    }
  });

  it('B18 leaves nobody behind: what it started ends with it', () => {
    expect(sh('setsid sleep 1234567 & echo done')).toMatchObject({ status: 0, stdout: 'done\n' });
    expect(spawnSync('pgrep', ['-f', 'sleep 1234567'], { encoding: 'utf8' }).stdout).toBe('');
  });
});
