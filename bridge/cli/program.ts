// The command line as it is documented. Each command's code is imported when it is called, so that none pays for another.
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { clientNames } from '../capabilities/access/clients.ts';
import { Failed, Fatal } from '../failed.ts';
import { findInstallation } from './installation.ts';
import { output, remark } from './output.ts';

const USAGE = 2;

/** Runs one command and answers the exit code: 0 done, 1 failed, 2 wrong usage, 3 owned by another, 4 port taken. */
export async function runProgram(argv: readonly string[]): Promise<number> {
  let code = 0;
  try {
    await buildProgram((failing) => (code = failing)).parseAsync(argv, { from: 'user' });
    return code;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : USAGE;
    if (error instanceof Fatal) remark(error.message);
    else if (error instanceof Failed) remark([error.message, error.failure.recovery].filter(Boolean).join(' '));
    else throw error;
    return error instanceof Fatal ? error.exitCode : 1;
  }
}

function buildProgram(setCode: (code: number) => void): Command {
  const program = new Command('drawbridge')
    .description("The owner's console for AI agents on this machine.")
    .version(findInstallation().version)
    .exitOverride()
    .configureOutput({ writeOut: (text) => void output.write(text) });
  addServing(program);
  addOwning(program);
  addDeciding(program);
  withHome(
    program.command('doctor').description('what works here and what is missing, with the mend').option('--json', 'as one JSON line', false),
  ).action(async (options) => {
    const isFit = await (await import('./doctor.ts')).doctor(options);
    if (!isFit) setCode(1);
  });
  return program;
}

const withHome = (command: Command): Command => command.option('--home <dir>', 'state folder (else DRAWBRIDGE_HOME)');
const withJson = (command: Command): Command => withHome(command).option('--json', 'as one JSON line', false);
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

function addServing(program: Command): void {
  withJson(program.command('start').description('the bridge and its console'))
    .option('--project <dir>', 'registers this folder; may be given more than once', collect, [])
    .option('--mcp-port <n>', 'port for MCP clients; 0 takes any free one', port, 21_730)
    .option('--console-port <n>', 'port for the console; 0 takes any free one', port, 21_731)
    .option('--no-open', 'does not open a browser')
    .action(async (options) => (await import('./start.ts')).start(options));
  withHome(program.command('stdio').description('MCP over stdio for one folder'))
    .requiredOption('--root <dir>', 'the folder')
    .addOption(new Option('--tools <surface>', 'which tools are listed').choices(['full', 'compact', 'hybrid']).default('full'))
    .action(async (options) => (await import('./stdio.ts')).stdio(options));
}

const scopes = (text: string): string[] => {
  const list = text.split(',').map((scope) => scope.trim());
  const unknown = list.find((scope) => !['read', 'write', 'exec'].includes(scope));
  if (unknown !== undefined) throw new InvalidArgumentError('Scopes are read, write and exec, with commas between them.');
  return list;
};

function addOwning(program: Command): void {
  withJson(program.command('link').description('a fresh one-time link into the console of the running bridge')).action(async (options) =>
    (await import('./link.ts')).makeLink(options),
  );
  const project = program.command('project').description('the registered folders');
  withJson(project.command('add <dir>')).action(async (dir, options) => (await import('./projects.ts')).addProject(dir, options));
  withJson(project.command('list')).action(async (options) => (await import('./projects.ts')).listProjects(options));
  withJson(project.command('remove <dir>')).action(async (dir, options) => (await import('./projects.ts')).removeProject(dir, options));
  withJson(program.command('token').description('a bearer for a script or a client without OAuth'))
    .requiredOption('--name <name>', 'what it is for')
    .option('--scopes <list>', 'read, write, exec', scopes, ['read', 'write'])
    .option('--project <id>', 'only this project; may be given more than once', collect, [])
    .option('--days <n>', 'how long it lives', wholeNumber(1, 365), 90)
    .action(async (options) => (await import('./token.ts')).issueToken(options));
  withHome(program.command('connect').description("prints a client's set-up"))
    .addArgument(new Argument('<client>').choices(clientNames))
    .option('--root <dir>', 'the project to connect it to', '.')
    .option('--write', "writes it into the client's own file", false)
    .action(async (client, options) => (await import('./connect.ts')).connectClient(client, options));
}

function addDeciding(program: Command): void {
  withJson(program.command('approvals').description('what waits for you')).action(async (options) =>
    (await import('./approvals.ts')).listApprovals(options),
  );
  for (const decision of ['approve', 'deny'] as const)
    withJson(program.command(`${decision} <id>`).description(`${decision === 'approve' ? 'allows' : 'denies'} one exact call`))
      .option('--note <text>', 'words the agent receives')
      .action(async (id, options) => (await import('./approvals.ts')).decide(id, decision, options));
}
