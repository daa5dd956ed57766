/** The state of a run: from the workflow while it is open, from what Temporal keeps of its end afterwards. */
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { type RunState } from '../src/factory/run-state';
import { STATE } from '../workflows/messages';
import { ANSWER_TIMEOUT_MS, callTemporal } from './temporal-calls';

/** Read the state of a run that Temporal has. */
export async function readState(
  client: Client,
  run: string,
  open: boolean,
): Promise<Result<RunState, RailyardError>> {
  const handle = client.workflow.getHandle(run);
  const query = (): Promise<RunState> => handle.query<RunState>(STATE);
  const read = open
    ? query
    : async () => (await endState(() => handle.result() as Promise<RunState>)) ?? query();
  return callTemporal(client, run, read, ANSWER_TIMEOUT_MS);
}

/** The state a closed run ended with; null where it did not end by itself (it was terminated). */
async function endState(result: () => Promise<RunState>): Promise<RunState | null> {
  try {
    return await result();
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { cause } = error;
    if (!(cause instanceof ApplicationFailure || cause instanceof CancelledFailure)) return null;
    const [state] = cause.details ?? [];
    // Only our own workflow ends this way, and this is what it puts there.
    return (state ?? null) as RunState | null;
  }
}
