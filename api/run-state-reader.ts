/** The state of a run: from the workflow while it is open, from what Temporal keeps of its end afterwards. */
import { WorkflowFailedError, type Client } from '@temporalio/client';
import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { err, type Result } from 'neverthrow';
import { type RailyardError } from '../src/errors';
import { type RunState } from '../src/factory/run-state';
import { STATE } from '../workflows/messages';
import { callTemporal } from './temporal-calls';

/** Read the state of a run. */
export async function readState(client: Client, run: string): Promise<Result<RunState, RailyardError>> {
  const handle = client.workflow.getHandle(run);
  const described = await callTemporal(client, run, () => handle.describe());
  if (described.isErr()) return err(described.error);
  const query = (): Promise<RunState> => handle.query<RunState>(STATE);
  if (described.value.status.name === 'RUNNING') return callTemporal(client, run, query);
  return callTemporal(
    client,
    run,
    async () => (await endState(() => handle.result() as Promise<RunState | null>)) ?? query(),
  );
}

/** The state a closed run ended with; null where it kept none (it was terminated, or too large). */
async function endState(result: () => Promise<RunState | null>): Promise<RunState | null> {
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
