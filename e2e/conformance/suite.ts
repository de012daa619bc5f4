// The public MCP conformance suite as a program: it runs on Node 20, with a bearer it does not know of, and its checks are read from its files.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, request, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { execa } from 'execa';
import { ensurePeer, programOf } from '../peers.ts';

const module = (source: string): string => `data:text/javascript,${encodeURIComponent(source)}`;
/** Node 20 has no fs.globSync, which the suite imports to rate repositories and for nothing else. */
const fileSystem = module(`export * from 'node:fs'; export { default } from 'node:fs';
  export const globSync = () => { throw new Error('fs.globSync needs Node 22'); };`);
const hooks = module(`export const resolve = (name, context, next) =>
  /^(node:)?fs$/.test(name) && context.parentURL?.includes('/conformance/dist/')
    ? { url: ${JSON.stringify(fileSystem)}, shortCircuit: true } : next(name, context);`);
const shim = module(`import { register } from 'node:module'; register(${JSON.stringify(hooks)});`);

/** Installs the suite when it is not there, and gives its program. */
export const ensureSuite = async (): Promise<string> =>
  programOf(await ensurePeer('@modelcontextprotocol/conformance', '0.2.0-alpha.12'), 'conformance');

export type Rewrite = (headers: IncomingHttpHeaders, from: number, to: number) => IncomingHttpHeaders;

/** The suite knows no bearer and no port but its own: this passes its requests on with both, and everything else as it was. */
export const faithful: Rewrite = ({ host, origin, ...rest }, from, to) => ({
  ...rest,
  ...(host === undefined ? {} : { host: host.replace(`:${from}`, `:${to}`) }),
  ...(origin === undefined ? {} : { origin: origin.replace(`:${from}`, `:${to}`) }),
});

/** A request as it would look to a bridge that does not look at Host and Origin. */
export const blind: Rewrite = ({ origin: _origin, ...rest }, _from, to) => ({ ...rest, host: `127.0.0.1:${to}` });

export interface Door {
  url: string;
  bearer: string;
  rewrite?: Rewrite;
}

async function relay({ url, bearer, rewrite = faithful }: Door): Promise<{ url: string; server: Server }> {
  const to = new URL(url);
  const server = createServer((incoming, outgoing) => {
    const { port: from } = server.address() as AddressInfo;
    const headers = { ...rewrite(incoming.headers, from, Number(to.port)), authorization: `Bearer ${bearer}` };
    const onward = request(to, { method: incoming.method ?? 'GET', headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers).flushHeaders();
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    outgoing.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, server };
}

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** What the suite wrote down, by scenario. */
export class Report {
  readonly checks: ReadonlyMap<string, readonly Check[]>;

  constructor(checks: ReadonlyMap<string, readonly Check[]>) {
    this.checks = checks;
  }

  static in(folder: string): Report {
    const scenario = (name: string) => name.replace(/^(authorization-)?server-/, '').replace(/-\d{4}-\d\d-\d\dT.*$/, '');
    const checksOf = (name: string) => JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[];
    return new Report(new Map(readdirSync(folder).map((name) => [scenario(name), checksOf(name)])));
  }

  /** The same of these scenarios alone. */
  of(scenarios: readonly string[]): Report {
    return new Report(new Map([...this.checks].filter(([name]) => scenarios.includes(name))));
  }

  count(status: Check['status']): number {
    return [...this.checks.values()].flat().filter((check) => check.status === status).length;
  }

  /** The scenarios with a check of that status, in the order of their names. */
  with(status: Check['status']): string[] {
    return [...this.checks]
      .filter(([, checks]) => checks.some((check) => check.status === status))
      .map(([name]) => name)
      .sort();
  }

  /** The scenarios that showed nothing at all. */
  idle(): string[] {
    return [...this.checks].filter(([, checks]) => !checks.some(({ status }) => status === 'SUCCESS')).map(([name]) => name);
  }

  /** Whatever is not a success, in the suite's own words. */
  troubles(): string[] {
    return [...this.checks].flatMap(([name, checks]) =>
      checks
        .filter(({ status }) => status !== 'SUCCESS' && status !== 'INFO')
        .map((one) => `${name}: ${one.id} ${one.status} ${one.errorMessage}`),
    );
  }
}

export class Suite {
  readonly #program: string;
  readonly #folder: string;

  constructor(program: string, folder: string) {
    this.#program = program;
    this.#folder = folder;
  }

  /** Starts a command of the suite. Its exit code says no more than its files, so it is not looked at. */
  launch(...flags: string[]) {
    return execa(process.execPath, ['--import', shim, this.#program, ...flags], { cwd: this.#folder, reject: false, all: true });
  }

  /** The server scenarios of a revision, by the suite's own list. */
  async scenarios(version: string): Promise<string[]> {
    const { all } = await this.launch('list', '--server', '--spec-version', version);
    return [...all.matchAll(/^ {2}- ([\w-]+) \[/gm)].map(([, name = '']) => name).sort();
  }

  /** Runs server scenarios against what is behind the door. */
  async judge(door: Door, ...flags: string[]): Promise<Report> {
    const { url, server } = await relay(door);
    const output = this.newFolder();
    try {
      await this.launch('server', '--url', url, '--output-dir', output, ...flags);
    } finally {
      server.closeAllConnections();
      server.close();
    }
    return Report.in(output);
  }

  newFolder(): string {
    return mkdtempSync(join(this.#folder, 'results-'));
  }
}
