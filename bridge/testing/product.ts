// The whole product without a port: a real core over a temporary folder, and an official client on a pipe to it.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import type { Envelope } from '#shared/envelope.ts';
import type { CallBody } from '#shared/events.ts';
import { createApp } from '../app.ts';
import { silentLog } from '../base/log.ts';
import { locationsOf, makeHome } from '../locations.ts';
import { exposureOf, type Surface } from '../mcp/exposure.ts';
import { LineTransport } from '../mcp/lines.ts';
import { serveMcpStream } from '../mcp/stream.ts';
import { workspace } from './workspace.ts';

const VERSION = '0.0.0-test';

type Mode = { pin: string } | 'legacy';

export type Product = Awaited<ReturnType<typeof productOver>>;

/** What a client of the given surface has; `context` is the pair that project_overview gave. */
export async function productOver(files: Parameters<typeof workspace>[0], surface: Surface) {
  const folder = await workspace(files);
  const home = join(folder.outside, 'home');
  mkdirSync(home);
  const locations = locationsOf(home, join(home, 'no-console'));
  makeHome(locations);
  const app = await createApp({ locations, version: VERSION, log: silentLog, launch: { command: 'drawbridge', args: [] } });
  const { projectId } = (await app.projects.add(folder.root)).project;
  const { invoke, operations, access, settings, events } = app;
  const closers: (() => Promise<void>)[] = [];

  /** Another program on a pipe of its own, which calls itself by this name. */
  async function connect(name: string, mode: Mode = { pin: '2026-07-28' }, capabilities: ClientCapabilities = {}): Promise<Client> {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const served = serveMcpStream({
      ...{ input, output, invoke, operations, version: VERSION, log: silentLog },
      exposure: () => exposureOf('stdio', surface, settings.current()),
      caller: (said) => access.stdioCaller(projectId, said),
      defaultProjectId: projectId,
    });
    const client = new Client({ name, version: '1' }, { versionNegotiation: { mode }, capabilities });
    await client.connect(new LineTransport({ input: output, output: input }));
    closers.push(
      () => client.close(),
      () => served.close(),
    );
    return client;
  }
  const client = await connect('test');

  async function call(name: string, args: Record<string, unknown>, by = client): Promise<Envelope> {
    const { content } = (await by.callTool({ name, arguments: args })) as { content: { text: string }[] };
    return JSON.parse(content[0]?.text ?? '') as Envelope;
  }
  const { workspaceId, workspaceEpoch } = await call('project_overview', {});

  return {
    ...{ folder, app, client, connect, call, projectId },
    context: { workspaceId, workspaceEpoch },
    /** The account of every call so far, oldest first. */
    calls: () =>
      events
        .list({ limit: 200 })
        .filter(({ kind }) => kind === 'call')
        .map(({ body }) => body as CallBody)
        .reverse(),
    async [Symbol.asyncDispose]() {
      for (const close of closers) await close();
      await app.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}
