/** Rehydrate (locks, section 1.2): where a token leads, told again. It gets nothing to write with. */
import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type TokenSigner } from '../ports';
import { answerOfReading } from './answer';
import { gapsThen, noticesAt, preferenceWarnings } from './disclosed';
import { type Place } from './place';
import { type Reading } from './ports';
import { recoveryOf } from './recovery';
import { type StepOutput } from './tools';

/** Read a place again, with what led there and attempts of one's own. */
export async function rehydrate(
  { minting, catalog }: Reading,
  place: Place,
  signer: TokenSigner,
): Promise<Result<StepOutput, RailyardError>> {
  const drift = await driftWarnings(catalog, place);
  const notices = noticesAt(place, gapsThen(place).own);
  return answerOfReading(place, signer, {
    attempts: { ack: minting.attemptId(), checkpoint: minting.attemptId() },
    recap: recoveryOf(place),
    warnings: [...new Set([...drift, ...preferenceWarnings(place), ...notices])],
  });
}

/** That the source of a workflow is not what the run is pinned to; the run goes on with what it is pinned to. */
async function driftWarnings(catalog: Reading['catalog'], { workflow, node }: Place): Promise<string[]> {
  const { workflowId } = workflow;
  const found = await catalog.find(workflowId);
  // What cannot be read cannot be compared; list_workflows says what is wrong with it.
  if (found.isErr()) return [];
  const stays = 'This run goes on with the version it was started with; only a new run would use another.';
  if (!found.value) return [`The workflow ${workflowId} is no longer where it came from. ${stays}`];
  return found.value.workflowHash === node.workflowHash
    ? []
    : [`The workflow ${workflowId} has been changed since this run was started. ${stays}`];
}
