// How each client is told of this bridge, in the form its own documentation gives. Pure: no file is read or written here.
import type { clientKinds } from '#shared/contracts/owner.ts';

export type ClientKind = (typeof clientKinds)[number];

/** What a set-up depends on. Paths are absolute. */
export interface SetupFacts {
  client: ClientKind;
  /** The program that speaks stdio, with everything but the project. */
  launch: { command: string; args: readonly string[] };
  /** The project's folder. */
  root: string;
  mcpUrl: string;
  userHome: string;
  platform: string;
}

/** One entry of one configuration file: what belongs where in it. Neither a bearer nor a word of where one lies is in any. */
export interface ConfigEntry {
  file: string;
  format: 'json' | 'toml';
  /** The keys that lead to the entry, ours last. */
  path: readonly string[];
  value: Record<string, unknown>;
  /** The client's own command that writes the entry, where it has one. */
  command: string | null;
}

/** Over HTTP a client finds out by itself where to sign in, and the owner's browser does the rest. */
export interface HttpEntry extends ConfigEntry {
  /** What is typed in the client, or in a shell, so that it signs in; null: it does when it starts. */
  signIn: string | null;
}

export interface ClientEntries {
  stdio: ConfigEntry;
  http: HttpEntry;
}

export interface Setup {
  file: string;
  text: string;
  command: string | null;
}

const NAME = 'drawbridge';

/** The set-up as the owner reads it. */
export function clientSetup(facts: SetupFacts): { client: ClientKind; stdio: Setup; http: Setup & { signIn: string | null } } {
  const { stdio, http } = clientEntries(facts);
  return { client: facts.client, stdio: setupOf(stdio), http: { ...setupOf(http), signIn: http.signIn } };
}

const setupOf = (entry: ConfigEntry): Setup => ({ file: entry.file, text: textOf(entry), command: entry.command });

/** The entry alone in a file of its format. */
export function textOf({ format, path, value }: ConfigEntry): string {
  if (format === 'toml') return tomlTable(path, value);
  return `${JSON.stringify(nest(path, value), null, 2)}\n`;
}

export const nest = (path: readonly string[], value: Record<string, unknown>): Record<string, unknown> =>
  path.reduceRight<Record<string, unknown>>((inner, key) => ({ [key]: inner }), value);

/** A table header and its keys. Strings of TOML and of JSON are written alike, but for DEL. */
function tomlTable(path: readonly string[], value: Record<string, unknown>): string {
  const lines = Object.entries(value).map(([key, item]) => `${key} = ${JSON.stringify(item).replaceAll('\u007f', '\\u007f')}`);
  return [`[${path.join('.')}]`, ...lines, ''].join('\n');
}

/** Where the client looks, and what it wants to find there. */
export function clientEntries(facts: SetupFacts): ClientEntries {
  return entriesOf[facts.client]({ ...facts, argv: [facts.launch.command, ...facts.launch.args, '--root', facts.root] });
}

type Argv = SetupFacts & { argv: readonly string[] };

const stdioValue = ({ argv }: Argv) => ({ command: argv[0], args: argv.slice(1) });
/** As long as the owner may take to answer; left out, the program in between gives up after thirty seconds. */
const SIGN_IN_SECONDS = '600';

const entriesOf: Record<ClientKind, (facts: Argv) => ClientEntries> = {
  'claude-code': (facts) => {
    const at = { file: join(facts, facts.root, '.mcp.json'), format: 'json', path: ['mcpServers', NAME] } as const;
    const add = ['claude', 'mcp', 'add', '--scope', 'project'];
    return {
      stdio: { ...at, value: stdioValue(facts), command: shell(facts, [...add, NAME, '--', ...facts.argv]) },
      http: {
        ...at,
        value: { type: 'http', url: facts.mcpUrl },
        command: shell(facts, [...add, '--transport', 'http', NAME, facts.mcpUrl]),
        signIn: '/mcp',
      },
    };
  },
  'claude-desktop': (facts) => {
    const at = { file: desktopFile(facts), format: 'json', path: ['mcpServers', NAME], command: null } as const;
    // Its file takes local programs only, and its remote connectors are reached from outside this machine: mcp-remote stands between.
    const args = ['-y', 'mcp-remote', facts.mcpUrl, '--auth-timeout', SIGN_IN_SECONDS];
    return {
      stdio: { ...at, value: stdioValue(facts) },
      http: { ...at, value: { command: 'npx', args }, signIn: null },
    };
  },
  cursor: (facts) => {
    const at = { file: join(facts, facts.root, '.cursor', 'mcp.json'), format: 'json', path: ['mcpServers', NAME], command: null } as const;
    return {
      stdio: { ...at, value: stdioValue(facts) },
      http: { ...at, value: { url: facts.mcpUrl }, signIn: null },
    };
  },
  codex: (facts) => {
    const at = { file: join(facts, facts.userHome, '.codex', 'config.toml'), format: 'toml', path: ['mcp_servers', NAME] } as const;
    return {
      stdio: { ...at, value: stdioValue(facts), command: shell(facts, ['codex', 'mcp', 'add', NAME, '--', ...facts.argv]) },
      http: {
        ...at,
        value: { url: facts.mcpUrl },
        command: shell(facts, ['codex', 'mcp', 'add', NAME, '--url', facts.mcpUrl]),
        signIn: `codex mcp login ${NAME}`,
      },
    };
  },
  vscode: (facts) => {
    const at = { file: join(facts, facts.root, '.vscode', 'mcp.json'), format: 'json', path: ['servers', NAME] } as const;
    const add = (value: object) => shell(facts, ['code', '--add-mcp', JSON.stringify({ name: NAME, ...value })]);
    const [stdio, http] = [
      { type: 'stdio', ...stdioValue(facts) },
      { type: 'http', url: facts.mcpUrl },
    ];
    return {
      stdio: { ...at, value: stdio, command: add(stdio) },
      http: { ...at, value: http, command: add(http), signIn: null },
    };
  },
  opencode: (facts) => {
    // The shape of its version 1, which version 2 reads as well. It signs in unless it is told not to.
    const at = { file: join(facts, facts.root, 'opencode.json'), format: 'json', path: ['mcp', NAME], command: null } as const;
    return {
      stdio: { ...at, value: { type: 'local', command: facts.argv, enabled: true } },
      http: { ...at, value: { type: 'remote', url: facts.mcpUrl, enabled: true }, signIn: '/mcps' },
    };
  },
  gemini: (facts) => {
    const at = { file: join(facts, facts.root, '.gemini', 'settings.json'), format: 'json', path: ['mcpServers', NAME] } as const;
    return {
      stdio: { ...at, value: stdioValue(facts), command: null },
      http: {
        ...at,
        value: { httpUrl: facts.mcpUrl },
        command: shell(facts, ['gemini', 'mcp', 'add', '--transport', 'http', NAME, facts.mcpUrl]),
        signIn: `/mcp auth ${NAME}`,
      },
    };
  },
};

/** Every client that has a set-up here, for a command line that must not load a schema to know them. */
export const clientNames = Object.keys(entriesOf) as ClientKind[];

function desktopFile(facts: SetupFacts): string {
  const file = 'claude_desktop_config.json';
  if (facts.platform === 'darwin') return join(facts, facts.userHome, 'Library', 'Application Support', 'Claude', file);
  if (facts.platform === 'win32') return join(facts, facts.userHome, 'AppData', 'Roaming', 'Claude', file);
  return join(facts, facts.userHome, '.config', 'Claude', file);
}

function join({ platform }: Pick<SetupFacts, 'platform'>, ...names: string[]): string {
  return names.join(platform === 'win32' ? '\\' : '/');
}

/** A command line that a shell of this platform reads back as exactly these words. */
function shell({ platform }: Pick<SetupFacts, 'platform'>, words: readonly string[]): string {
  const quote = platform === 'win32' ? quoteForWindows : quoteForPosix;
  return words.map((word) => (/^[\w./:=@-]+$/.test(word) ? word : quote(word))).join(' ');
}

const quoteForPosix = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`;
// Backslashes count only before a quote, and there each is doubled.
const quoteForWindows = (word: string): string =>
  `"${word.replace(/(\\*)("|$)/g, (_all, slashes: string, end: string) => slashes + slashes + (end === '"' ? '\\"' : ''))}"`;
