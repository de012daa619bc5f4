// The program: one command, its exit code, and nothing on standard output but that command's answer.
import { remark, said } from './cli/output.ts';
import { runProgram } from './cli/program.ts';

async function main(): Promise<number> {
  try {
    return await runProgram(process.argv.slice(2));
  } catch (error) {
    remark(error instanceof Error ? (error.stack ?? error.message) : String(error));
    return 1;
  }
}

const code = await main();
await said();
process.exit(code);
