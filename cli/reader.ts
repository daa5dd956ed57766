/** The reader of what a command prints: a terminal, a file, or a program behind a pipe, which may leave at any time. */

let isNeeded = true;

/** For a command that has more to do than to print: from now on it does not end with its reader. */
export function goOnWithoutReader(): void {
  isNeeded = false;
}

/** End quietly when the reader has left (`railyard graph … | head -1`), with the exit code the command has so far. */
export function watchReader(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (!isNeeded) return;
    if (error.code === 'EPIPE') process.exit();
    process.stderr.write(`error: the output cannot be written: ${error.message}\n`);
    process.exit(1);
  });
  // Where nobody reads the errors, the exit code speaks.
  process.stderr.on('error', () => undefined);
}
