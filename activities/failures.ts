/** What an attempt throws. Temporal retries what may pass, and gives up on what cannot. */
import { ApplicationFailure } from '@temporalio/activity';
import { isErrno } from '../src/errno';
import { problem, type RailyardError } from '../src/errors';
import { isLost } from '../src/ledger';

/** An error of ours as Temporal's; the envelope is its first detail. */
export function failureOf(error: RailyardError): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${error.message} ${error.suggestion}`,
    type: error.code,
    nonRetryable: error.retry.kind === 'not_retryable',
    details: [error],
  });
}

/** An error of the ledger as Temporal's: whatever does not end the driver of the run may be well again in a moment. */
export function ledgerFailure(error: RailyardError): ApplicationFailure {
  return ApplicationFailure.create({
    message: `${error.message} ${error.suggestion}`,
    type: error.code,
    nonRetryable: isLost(error),
    details: [error],
  });
}

/** Somebody else executes the attempt; when that ends, there is an outcome, or the way is free. */
export function busy(dir: string): ApplicationFailure {
  return ApplicationFailure.retryable(
    `Another execution of this attempt is at work in ${dir}.`,
    'AttemptBusy',
  );
}

/** The worker is asked to stop: the attempt starts again, here or elsewhere. */
export function handedBack(): ApplicationFailure {
  return ApplicationFailure.retryable('The worker shut down during the attempt.', 'WorkerShutdown');
}

/** Permissions, and things in the way, wait for a person; a full or broken disk may be well again in a moment. */
const FOR_A_PERSON = ['EACCES', 'EPERM', 'EROFS', 'EEXIST', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG'];

/**
 * A system error as Temporal's failure: one to try again, unless it is about the workspace and only a person can mend
 * it. Our own folders are the machine's business. Whatever else was thrown stays as it is.
 */
export function thrown(error: unknown, ownFolders: readonly string[]): unknown {
  if (!isSystemError(error)) return error;
  const { message, path } = error;
  const own = path === undefined || ownFolders.some((folder) => `${path}/`.startsWith(`${folder}/`));
  if (own || !FOR_A_PERSON.includes(error.code ?? '')) {
    return ApplicationFailure.create({ message, type: 'MachineTrouble', cause: error });
  }
  const suggestion = `Look at the permissions of ${path}, and at what is there, then retry the block.`;
  return failureOf(problem('INPUT_INVALID', `The workspace cannot be used: ${message}.`, { suggestion }));
}

const isSystemError = (error: unknown): error is NodeJS.ErrnoException =>
  isErrno(error) && 'syscall' in error;
