/**
 * The answer of start_workflow and continue_workflow, made from a place alone. Given for the first time or for the hundredth,
 * from this process or another: the same place, attempts and telling give the same bytes.
 */
import { ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type BlockerReport, isComplete, type NextIntent } from '../model';
import { type TokenSigner } from '../ports';
import { renderPending } from '../engine';
import { encodeToken, TOKEN_VERSION } from '../tokens';
import { type Attempts, firstAttempts } from './derived-ids';
import { blockersAt, gapCountNow, gapsThen, noticesAt } from './disclosed';
import { labelOf, type Place, preferencesAt, stepAt } from './place';
import { type StepOutput } from './tools';

/** What an answer says beyond its place. */
export interface Telling {
  readonly attempts: Attempts;
  readonly gapCount: number;
  readonly warnings: readonly string[];
  /** What led here and what came of it, for somebody who has forgotten. */
  readonly recap?: string;
}

/** What the attempt that made a place was answered with, whenever it is asked again. */
export function answerOfFacts(place: Place, signer: TokenSigner): Result<StepOutput, RailyardError> {
  const { openCount, own } = gapsThen(place);
  return stepAnswer(place, signer, {
    attempts: firstAttempts(place.run.runId, place.node.nodeId),
    gapCount: openCount,
    warnings: noticesAt(place, own),
  });
}

/** What somebody is told who reads a place again: as things stand now, with attempts of his own. */
export const answerOfReading = (
  place: Place,
  signer: TokenSigner,
  told: Omit<Telling, 'gapCount'>,
): Result<StepOutput, RailyardError> => stepAnswer(place, signer, { ...told, gapCount: gapCountNow(place) });

function stepAnswer(place: Place, signer: TokenSigner, told: Telling): Result<StepOutput, RailyardError> {
  const { snapshot } = place;
  const blockers = blockersAt(place);
  const common = {
    label: labelOf(place),
    stateToken: stateTokenOf(place, signer),
    preferences: preferencesAt(place),
    gapCount: told.gapCount,
    warnings: [...told.warnings],
  };
  if (isComplete(snapshot)) {
    const end = { kind: 'ok' as const, isComplete: true, pending: null, nextIntent: 'complete' as const };
    return ok({ ...end, ...common });
  }
  const refusal = place.tended?.refusal ?? null;
  const ack = ackTokenOf(place, signer, told.attempts);
  // Where nothing can be acknowledged, there is nothing to acknowledge it with.
  const given = refusal
    ? {}
    : {
        ...(blockers ? { retryAckToken: ack } : { ackToken: ack }),
        checkpointToken: checkpointTokenOf(place, signer, told.attempts),
      };
  return renderPending(place.workflow, snapshot, additionsAt(place, told)).map(
    ({ step: { stepId, title }, prompt }) => ({
      ...common,
      ...(refusal ? { warnings: [...told.warnings, `${refusal.message} ${refusal.suggestion}`] } : {}),
      ...(blockers ? { kind: 'blocked' as const, blockers: blockers.blockers } : { kind: 'ok' as const }),
      ...given,
      isComplete: false,
      pending: { stepId, title, prompt },
      nextIntent: nextIntentAt(place, blockers),
    }),
  );
}

/** What is told beside the workflow's own text. */
function additionsAt({ tended }: Place, { recap }: Telling): { readonly recap?: string } {
  const told = [tended?.briefing ?? '', recap ?? ''].filter((text) => text !== '');
  return told.length === 0 ? {} : { recap: told.join('\n\n') };
}

/** What to do at a place that is not the end. */
function nextIntentAt(place: Place, blockers: BlockerReport | null): NextIntent {
  const step = stepAt(place);
  if (place.tended?.refusal && step?.performedBy !== 'person') return 'rehydrate_only';
  const asks =
    step?.performedBy === 'person' ||
    step?.requireConfirmation === true ||
    step?.nonAssumableChoice !== undefined;
  const onlyPeople = blockers?.blockers.every(({ code }) => code === 'USER_ONLY_DEPENDENCY') ?? true;
  const neverStops = preferencesAt(place).autonomy === 'full_auto_never_stop';
  return asks && onlyPeople && !neverStops ? 'await_user_confirmation' : 'perform_pending_then_continue';
}

const placeFields = ({ session, run, node }: Place) => ({
  tokenVersion: TOKEN_VERSION as typeof TOKEN_VERSION,
  sessionId: session.sessionId,
  runId: run.runId,
  nodeId: node.nodeId,
});

export const stateTokenOf = (place: Place, signer: TokenSigner): string =>
  encodeToken({ ...placeFields(place), tokenKind: 'state', workflowHash: place.node.workflowHash }, signer);

const ackTokenOf = (place: Place, signer: TokenSigner, { ack }: Attempts): string =>
  encodeToken({ ...placeFields(place), tokenKind: 'ack', attemptId: ack }, signer);

export const checkpointTokenOf = (place: Place, signer: TokenSigner, { checkpoint }: Attempts): string =>
  encodeToken({ ...placeFields(place), tokenKind: 'checkpoint', attemptId: checkpoint }, signer);
