/** Ends every test run with one plain line that a machine can read. */
module.exports = class ClosingLine {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites } = results;
    // A suite that could not even start has no tests to count, and is no success.
    const failed = Math.max(numFailedTests, numFailedTestSuites, numRuntimeErrorTestSuites);
    process.stdout.write(`\n${numPassedTests} passed, ${failed} failed\n`);
  }
};
