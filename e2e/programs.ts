// Programs that sign in by themselves, as their users run them: each says which page a browser must open, and goes on when the answer came back.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Envelope } from '#shared/envelope.ts';
import { keeper } from '../bridge/testing/keeper.ts';
import { type Era, inspect } from './inspector.ts';

/** A program that waits for its user: the page to open, and what follows when the browser has brought the answer. */
export interface Waiting<Then> {
  page: string;
  done(): Promise<Then>;
}

export interface Program extends AsyncDisposable {
  /** As the owner reads it. */
  name: string;
  /** Begins with nothing kept, and ends with the names of the tools. */
  signIn(): Promise<Waiting<string[]>>;
  call(name: string, args: object): Promise<Envelope>;
  /** A call that needs more than the program may do: it asks for that, and then the call goes on. */
  callForMore(name: string, args: object): Promise<Waiting<Envelope>>;
}

interface Result {
  content: { text: string }[];
}

const envelopeOf = ({ content }: Result): Envelope => JSON.parse(content[0]?.text ?? '') as Envelope;

/** The address that a browser is sent back to, and the next answer that it brings. */
async function listenForAnswer() {
  const arrived: URL[] = [];
  let tell = (): void => undefined;
  const server = createServer(({ url = '' }, answer) => {
    answer.end('You can close this page.');
    if (!url.startsWith('/callback')) return;
    arrived.push(new URL(url, 'http://127.0.0.1'));
    tell();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`,
    async next(): Promise<URL> {
      for (;;) {
        const answer = arrived.shift();
        if (answer !== undefined) return answer;
        await new Promise<void>((resolve) => (tell = resolve));
      }
    },
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** One connection of one SDK. */
interface Connection {
  connect(): Promise<void>;
  client: {
    listTools(): Promise<{ tools: { name: string }[] }>;
    callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
    close(): Promise<void>;
  };
  /** Trades the answer that the browser brought. */
  finish(answer: URL): Promise<void>;
}

type Sdk = (url: URL, provider: unknown) => Connection;

export const sdk1: Sdk = (url, provider) => {
  const transport = new HttpV1(url, { authProvider: provider as never });
  const client = new ClientV1({ name: 'night', version: '1' });
  const finish = (answer: URL) => transport.finishAuth(answer.searchParams.get('code') ?? '');
  return { client, finish, connect: () => client.connect(transport as never) };
};

export const sdk2 =
  (options: ConstructorParameters<typeof ClientV2>[1] = {}): Sdk =>
  (url, provider) => {
    const transport = new HttpV2(url, { authProvider: provider as never });
    const client = new ClientV2({ name: 'night', version: '1' }, options);
    return { client, finish: (answer) => transport.finishAuth(answer.searchParams), connect: () => client.connect(transport) };
  };

export async function ofSdk(sdk: Sdk, mcpUrl: string): Promise<Program> {
  const name = 'Night Editor';
  const callback = await listenForAnswer();
  const { pages, provider } = keeper(name, callback.url);
  const make = () => sdk(new URL(mcpUrl), provider);
  let at = make();

  /** What was tried must have led to a page. */
  async function waiting<Then>(tried: Promise<unknown>, then: () => Promise<Then>): Promise<Waiting<Then>> {
    const why = await tried.then(
      () => 'It was not asked to sign in.',
      (thrown: unknown) => String(thrown),
    );
    const page = pages.shift()?.href;
    if (page === undefined) throw new Error(why);
    return {
      page,
      async done() {
        await at.finish(await callback.next());
        return then();
      },
    };
  }

  const call = async (tool: string, args: object) =>
    envelopeOf((await at.client.callTool({ name: tool, arguments: { ...args } })) as Result);
  const list = async () => (await at.client.listTools()).tools.map((tool) => tool.name);
  return {
    name,
    signIn: () =>
      waiting(at.connect(), async () => {
        at = make();
        await at.connect();
        return list();
      }),
    call,
    callForMore: (tool, args) => waiting(call(tool, args), () => call(tool, args)),
    async [Symbol.asyncDispose]() {
      await at.client.close();
      callback.close();
    },
  };
}

export async function ofInspector(era: Era, mcpUrl: string, place: string): Promise<Program> {
  const entry = { type: 'streamable-http', url: mcpUrl } as const;
  const { run, ask } = await inspect(entry, place, era);
  // Without a word of scopes it trades its refresh token, which cannot give more, and goes no further.
  const careful = await inspect({ ...entry, oauth: { scopes: 'dodo:read' } }, place, era);
  const listing = ['--method', 'tools/list'];
  const calling = (name: string, args: object) => ['--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)];

  function read<Shape>({ stdout, stderr }: { stdout: string; stderr: string }): Shape {
    if (stdout === '') throw new Error(stderr);
    const printed = JSON.parse(stdout) as { result?: Shape } & Shape;
    return printed.result ?? printed;
  }
  const namesIn = (printed: Parameters<typeof read>[0]) => read<{ tools: { name: string }[] }>(printed).tools.map(({ name }) => name);
  return {
    name: 'MCP Inspector',
    async signIn() {
      const { page, printed } = await ask(listing);
      return { page, done: async () => namesIn(await printed) };
    },
    call: async (name, args) => envelopeOf(read<Result>(await run(...calling(name, args), '--stored-auth-only'))),
    async callForMore(name, args) {
      const { page, printed } = await careful.ask(calling(name, args), 'y\n');
      return { page, done: async () => envelopeOf(read<Result>(await printed)) };
    },
    [Symbol.asyncDispose]: async () => undefined,
  };
}
