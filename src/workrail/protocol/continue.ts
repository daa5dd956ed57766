/** continue_workflow: reads its tokens, sees that they belong together, and rehydrates or advances. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import { type TokenSigner } from '../ports';
import { type AckPayload, checkPair, decodeToken, type StatePayload, type TokenPayload } from '../tokens';
import { advance } from './advance';
import { labelOf, placeOfToken } from './place';
import { type Reading, type Writing } from './ports';
import { type AskPerson } from './protocol';
import { rehydrate } from './rehydrate';
import { type StepOutput, type ToolInput } from './tools';

export async function continueWorkflow(
  writing: Writing,
  input: ToolInput<'continue_workflow'>,
  ask: AskPerson,
): Promise<Result<StepOutput, RailyardError>> {
  const signer = await writing.signer();
  if (signer.isErr()) return err(signer.error);
  const tokens = tokensOf(input, signer.value);
  if (tokens.isErr()) return err(tokens.error);
  const { state, ack } = tokens.value;
  if (ack === null) return readAgain(writing, state, input, signer.value);
  const paired = await pair(writing, state, ack);
  if (paired.isErr()) return err(paired.error);
  const place = await placeOfToken(writing, state);
  if (place.isErr()) return err(place.error);
  return advance(writing, place.value, ack, input, signer.value, ask);
}

function tokensOf(
  { stateToken, ackToken }: ToolInput<'continue_workflow'>,
  signer: TokenSigner,
): Result<{ state: StatePayload; ack: AckPayload | null }, RailyardError> {
  return decodeToken('state', stateToken, signer).andThen((state) =>
    ackToken === undefined
      ? ok({ state, ack: null })
      : decodeToken('ack', ackToken, signer).map((ack) => ({ state, ack })),
  );
}

/** Without an ackToken nothing is written; whoever wants something kept hears that it would not be. */
async function readAgain(
  reading: Reading,
  state: StatePayload,
  input: ToolInput<'continue_workflow'>,
  signer: TokenSigner,
): Promise<Result<StepOutput, RailyardError>> {
  const unkept = (['output', 'context', 'preferences', 'fork'] as const).filter(
    (one) => input[one] !== undefined,
  );
  if (unkept.length > 0) {
    const named = unkept.join(', ');
    return err(
      problem('VALIDATION_ERROR', `Without an ackToken nothing is written, so ${named} would be lost.`, {
        suggestion: `To acknowledge the step, add the ackToken that came with this stateToken; to read where you are, leave out ${named}.`,
        details: { fields: unkept },
      }),
    );
  }
  const place = await placeOfToken(reading, state);
  return place.isErr() ? err(place.error) : rehydrate(reading, place.value, signer);
}

/** Two tokens of one call are of one place; if not, both places are named as the answers named them. */
async function pair(
  reading: Reading,
  state: StatePayload,
  ack: AckPayload,
): Promise<Result<void, RailyardError>> {
  const same = checkPair(state, ack, { state: '', other: '' });
  if (same.isOk()) return same;
  return checkPair(state, ack, { state: await nameOf(reading, state), other: await nameOf(reading, ack) });
}

async function nameOf(reading: Reading, token: TokenPayload): Promise<string> {
  const place = await placeOfToken(reading, token);
  return place.match(
    (found) => `"${labelOf(found)}"`,
    () => `a place that this store does not have (session ${token.sessionId})`,
  );
}
