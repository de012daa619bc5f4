// The program: one command, its exit code, and nothing on standard output but that command's answer.
import { remark } from './cli/output.ts';
import { runProgram } from './cli/program.ts';

runProgram(process.argv.slice(2)).then(
  (code) => process.exit(code),
  (error: unknown) => {
    remark(error instanceof Error ? (error.stack ?? error.message) : String(error));
    process.exit(1);
  },
);
