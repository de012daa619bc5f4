// Many clients at once over HTTP for a bounded time: what the bridge answers, how fast, and whether its memory stays where it was.
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { execa } from 'execa';
import { drawbridge, start } from '../product.ts';

const CLIENTS = 200;
const LOAD_MS = 30_000;
/** Before this the heap still grows to its working size. */
const SETTLED_MS = 15_000;

export interface Load {
  clients: number;
  seconds: number;
  calls: number;
  errors: string[];
  p50Ms: number;
  p99Ms: number;
  /** Resident memory once settled and at the end, in MiB, each the median of the samples of five seconds. */
  settledMiB: number;
  endMiB: number;
}

interface Answer {
  status: number;
  text: string;
}

async function residentMiB(pid: number): Promise<number> {
  const { stdout } = await execa('ps', ['-o', 'rss=', '-p', String(pid)]);
  return Number(stdout) / 1024;
}

const at = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
const median = (all: readonly number[]): number =>
  at(
    [...all].sort((a, b) => a - b),
    0.5,
  );

function post(url: string, bearer: string, agent: Agent): (method: string, params: object) => Promise<Answer> {
  const headers = {
    authorization: `Bearer ${bearer}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  let id = 0;
  return (method, params) =>
    new Promise((resolve, reject) => {
      const sent = request(url, { method: 'POST', agent, headers }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
        answer.on('error', reject);
      });
      sent.on('error', reject);
      sent.end(JSON.stringify({ jsonrpc: '2.0', id: (id += 1), method, params }));
    });
}

/** Each client calls, waits for its answer and calls again, until the time is over. */
export async function measureLoad(root: string, home: string): Promise<Load> {
  await using bridge = await start(home, '--project', root);
  const { bearer } = JSON.parse(drawbridge('token', '--name', 'load', '--json', '--home', home)) as { bearer: string };
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const send = post(bridge.line.mcpUrl, bearer, agent);
  const overview = await send('tools/call', { name: 'project_overview', arguments: {} });
  const context = contextOf(overview.text);
  const times: number[] = [];
  const errors: string[] = [];
  const memory: { atMs: number; mib: number }[] = [];
  const begun = performance.now();
  const elapsed = () => performance.now() - begun;
  const client = async () => {
    while (elapsed() < LOAD_MS) {
      const sentMs = elapsed();
      const { status, text } = await send('tools/call', { name: 'change_history', arguments: { ...context, limit: 1 } });
      times.push(elapsed() - sentMs);
      if (status !== 200 || !text.includes('"ok":true')) errors.push(`${status} ${text.slice(0, 200)}`);
    }
  };
  const watch = async () => {
    while (elapsed() < LOAD_MS) {
      memory.push({ atMs: elapsed(), mib: await residentMiB(bridge.line.pid) });
      await wait(1000);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: CLIENTS }, client)]);
  agent.destroy();
  const between = (from: number, to: number) => median(memory.filter((one) => one.atMs >= from && one.atMs < to).map((one) => one.mib));
  times.sort((a, b) => a - b);
  return {
    clients: CLIENTS,
    seconds: LOAD_MS / 1000,
    calls: times.length,
    errors,
    p50Ms: at(times, 0.5),
    p99Ms: at(times, 0.99),
    settledMiB: between(SETTLED_MS, SETTLED_MS + 5000),
    endMiB: between(LOAD_MS - 5000, LOAD_MS),
  };
}

function contextOf(text: string): { workspaceId: string; workspaceEpoch: string } {
  const [, workspaceId, workspaceEpoch] = /"workspaceId":"([^"]+)","workspaceEpoch":"([^"]+)"/.exec(text) ?? [];
  if (workspaceId === undefined || workspaceEpoch === undefined) throw new Error(`The bench got no context: ${text.slice(0, 300)}`);
  return { workspaceId, workspaceEpoch };
}

export const loadLine = (load: Load): string =>
  `\n${load.clients} HTTP clients for ${load.seconds} s: ${load.calls} calls (${Math.round(load.calls / load.seconds)} a second), ` +
  `${load.errors.length} errors, p50 ${load.p50Ms.toFixed(1)} ms, p99 ${load.p99Ms.toFixed(1)} ms, ` +
  `memory ${load.settledMiB.toFixed(0)} MiB after 15 s, ${load.endMiB.toFixed(0)} MiB at the end\n`;
