/**
 * A process of its own: let the SDK download the Temporal CLI. Own process because the SDK's downloader cannot be
 * cancelled or given a time limit, starts the server it has downloaded with our output as its own, and installs a
 * runtime in its process that a worker there could not replace.
 *
 *   node sdk-download.js <folder> <version>
 */
async function download(downloadDir: string, version: string): Promise<void> {
  const { TestWorkflowEnvironment } = await import('@temporalio/testing');
  const environment = await TestWorkflowEnvironment.createLocal({
    server: { executable: { type: 'cached-download', downloadDir, version } },
  });
  await environment.teardown();
}

const [, , folder = '', version = ''] = process.argv;
download(folder, version).then(
  () => process.exit(0),
  (error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${message.replaceAll('\n', ' ')}\n`, () => process.exit(1));
  },
);
