// Closes a test run with `N passed, N failed, N skipped` alone on a line. A file that could not be loaded counts as failed.
export default class PlainLineReporter {
  onTestRunEnd(modules, unhandledErrors = []) {
    const counts = { passed: 0, failed: unhandledErrors.length, skipped: 0 };
    for (const module of modules) {
      counts.failed += module.errors().length;
      for (const test of module.children.allTests()) counts[kindOf(test.result().state)] += 1;
      for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    }
    process.stdout.write(`\n${counts.passed} passed, ${counts.failed} failed, ${counts.skipped} skipped\n`);
  }
}

/** A test that never reached an end did not pass. */
function kindOf(state) {
  return state === 'pending' ? 'failed' : state;
}
