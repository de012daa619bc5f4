// The command line as it is documented. Each command's code is imported when it is called, so that none pays for another.
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { clientNames, type ClientKind } from '../capabilities/access/clients.ts';
import { Failed, Fatal } from '../failed.ts';
import type { ConnectOptions } from './connect.ts';
import { findInstallation } from './installation.ts';
import { output, remark } from './output.ts';
import type { StartOptions } from './start.ts';
import type { StdioOptions } from './stdio.ts';
import type { TokenOptions } from './token.ts';

const USAGE = 2;

/** Runs one command and answers the exit code: 0 done, 1 failed, 2 wrong usage, 3 owned by another, 4 port taken. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let code = 0;
  try {
    await buildProgram((failing) => (code = failing)).parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    if (!(error instanceof Fatal) && !(error instanceof Failed)) throw error;
    return tell(error);
  }
}

/** The bridge's own words. What it advises on refused input is about schemas, for a program that calls it. */
function tell(error: Fatal | Failed): number {
  if (error instanceof Fatal) {
    remark(error.message);
    return error.exitCode;
  }
  const isUsage = error.code === 'INVALID_INPUT';
  remark([error.message, isUsage ? '' : error.failure.recovery].filter(Boolean).join(' '));
  return isUsage ? USAGE : 1;
}

function buildProgram(setCode: (code: number) => void): Command {
  const program = new Command('drawbridge')
    .description("The owner's console for AI agents on this machine.")
    .version(findInstallation().version)
    // The program's own options are known wherever they are written, before and after the command.
    .option('--home <dir>', 'state folder (else DRAWBRIDGE_HOME)')
    .option('--json', 'as one JSON line', false)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({ writeOut: (text) => void output.write(text) });
  addServing(program);
  addOwning(program);
  addTokens(program);
  addDeciding(program);
  program
    .command('doctor')
    .description('what works here and what is missing, with the mend')
    .action(
      acting(async (options) => {
        const isFit = await (await import('./doctor.ts')).doctor(options);
        if (!isFit) setCode(1);
      }),
    );
  return program;
}

/** The program's own options, which every command has. */
interface Common {
  home?: string;
  json: boolean;
}

/** An action with the program's options among its own, and its one argument, if it has one. */
function acting<Options = Common>(
  run: (options: Options, argument: string) => Promise<void>,
  { hasJson = true } = {},
): (...given: unknown[]) => Promise<void> {
  return async (...given) => {
    const command = given.at(-1) as Command;
    // What a command declared below is what its own code asks for.
    const options = command.optsWithGlobals<Options & Common>();
    if (options.json && !hasJson) command.error(`error: '${command.name()}' has no option '--json'`, { exitCode: USAGE });
    await run(options, command.processedArgs[0] as string);
  };
}

const collect = (value: string, before: string[]): string[] => [...before, value];

function wholeNumber(least: number, most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (!/^\d{1,9}$/.test(text) || value < least || value > most)
      throw new InvalidArgumentError(`It is a whole number from ${least} to ${most}.`);
    return value;
  };
}

const port = wholeNumber(0, 65_535);

/** Without it the owner's setting holds, else compact over HTTP and full over stdio. */
const tools = () => new Option('--tools <surface>', 'which tools clients are shown').choices(['full', 'compact', 'hybrid']);

function addServing(program: Command): void {
  program
    .command('start')
    .description('the bridge and its console')
    .option('--project <dir>', 'registers this folder; may be given more than once', collect, [])
    .option('--mcp-port <n>', 'port for MCP clients; 0 takes any free one', port, 21_730)
    .option('--console-port <n>', 'port for the console; 0 takes any free one', port, 21_731)
    .addOption(tools())
    .option('--no-open', 'does not open a browser')
    .action(acting(async (options: StartOptions) => (await import('./start.ts')).start(options)));
  program
    .command('stdio')
    .description('MCP over stdio for one folder')
    .requiredOption('--root <dir>', 'the folder')
    .addOption(tools())
    .action(acting(async (options: StdioOptions) => (await import('./stdio.ts')).stdio(options), { hasJson: false }));
}

const scopes = (text: string): string[] => {
  const list = text.split(',').map((scope) => scope.trim());
  const unknown = list.find((scope) => !['read', 'write', 'exec'].includes(scope));
  if (unknown !== undefined) throw new InvalidArgumentError('Scopes are read, write and exec, with commas between them.');
  return list;
};

function addOwning(program: Command): void {
  program
    .command('link')
    .description('a fresh one-time link into the console of the running bridge')
    .action(acting(async (options) => (await import('./link.ts')).makeLink(options)));
  const project = program.command('project').description('the registered folders');
  project
    .command('list', { isDefault: true })
    .description('each with its id')
    .action(acting(async (options) => (await import('./projects.ts')).listProjects(options)));
  project
    .command('add <dir>')
    .description('registers a folder')
    .action(acting(async (options, dir) => (await import('./projects.ts')).addProject(dir, options)));
  project
    .command('remove <dir>')
    .description('forgets a folder; its files stay')
    .action(acting(async (options, dir) => (await import('./projects.ts')).removeProject(dir, options)));
  program
    .command('connect')
    .description("prints a client's set-up")
    .addArgument(new Argument('<client>').choices(clientNames))
    .option('--root <dir>', 'the project to connect it to', '.')
    .option('--write', "writes it into the client's own file", false)
    .action(
      acting(async (options: ConnectOptions, client) => (await import('./connect.ts')).connectClient(client as ClientKind, options), {
        hasJson: false,
      }),
    );
}

function addTokens(program: Command): void {
  const token = program.command('token').description('bearers for scripts and for clients without OAuth');
  token
    .command('issue', { isDefault: true })
    .description('a new one, printed once')
    .requiredOption('--name <name>', 'what it is for')
    .option('--scopes <list>', 'read, write, exec', scopes, ['read', 'write'])
    .option('--project <id>', 'only this project; may be given more than once', collect, [])
    .option('--days <n>', 'how long it lives', wholeNumber(1, 365), 90)
    .action(acting(async (options: TokenOptions) => (await import('./token.ts')).issueToken(options)));
  token
    .command('list')
    .description('each with its id and whether it holds')
    .action(acting(async (options) => (await import('./token.ts')).listTokens(options)));
  token
    .command('revoke <id>')
    .description('ends one, from its next request on')
    .action(acting(async (options, id) => (await import('./token.ts')).revokeToken(id, options)));
}

function addDeciding(program: Command): void {
  program
    .command('approvals')
    .description('what waits for you')
    .action(acting(async (options) => (await import('./approvals.ts')).listApprovals(options)));
  program
    .command('approve <id>')
    .description('allows one exact call, or with --for the same for a while')
    .option('--for <time>', 'such as 30m, 8h or 7d: also answers what was asked here, for this long', minutes)
    .option('--note <text>', 'words the agent receives')
    .action(acting(async (options, id) => (await import('./approvals.ts')).decide(id, 'approve', options)));
  program
    .command('deny <id>')
    .description('denies one exact call')
    .option('--note <text>', 'words the agent receives')
    .action(acting(async (options, id) => (await import('./approvals.ts')).decide(id, 'deny', options)));
  addGrants(program);
}

function addGrants(program: Command): void {
  const grants = program.command('grants').description('what you allow for a while');
  grants
    .command('list', { isDefault: true })
    .description('each with what it covers, until when and its last use')
    .action(acting(async (options) => (await import('./grants.ts')).listGrants(options)));
  grants
    .command('revoke <id>')
    .description('ends one, from the next call on')
    .action(acting(async (options, id) => (await import('./grants.ts')).revokeGrant(options, id)));
}

function minutes(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  const value = Number(count) * ({ m: 1, h: 60, d: 24 * 60 }[unit] ?? 0);
  if (value < 1 || value > 30 * 24 * 60) throw new InvalidArgumentError('It is a time such as 30m, 8h or 7d, of at most 30 days.');
  return value;
}
