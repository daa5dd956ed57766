/** Requests that set blocks off: a call for one block, an event for all that wait for it, the tick of a clock. */
import { err, ok, type Result } from 'neverthrow';
import type { JsonValue } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import type { PlannedTrigger, WalkPlan } from '../plan';
import type { TriggerAnswer } from '../run-state';
import type { Draft } from './draft';
import { isEnding } from './ending';
import type { Answer, EventRequest, TriggerRequest } from './events';
import { indexOf } from './plan-index';
import { isOver, runEnded, unknownBlock } from './refusals';
import { textBytes } from './text-bytes';
import { bookOf, deliver, listens, writeBook } from './trigger-queue';

/** Of a payload as JSON. */
export const MAX_PAYLOAD_BYTES = 65_536;
const MAX_ID_LENGTH = 200;
/** How many answers are known again. */
const MAX_SEEN = 500;

type Asked = TriggerRequest | EventRequest;

/** Why a trigger or an event can never be accepted by a run of this plan, or null. */
export function refusedTrigger(plan: WalkPlan, asked: Asked): RailyardError | null {
  const { id, payload } = asked;
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) {
    return problem('INPUT_INVALID', `A trigger needs an id of 1 to ${MAX_ID_LENGTH} characters.`);
  }
  const bytes = textBytes(JSON.stringify(payload ?? null));
  if (bytes > MAX_PAYLOAD_BYTES) {
    const message = `The payload has ${bytes} bytes; at most ${MAX_PAYLOAD_BYTES} are possible.`;
    return problem('BODY_TOO_LARGE', message);
  }
  if (asked.type === 'event') return null;
  const planned = indexOf(plan).blocks.get(asked.block);
  if (!planned) return unknownBlock(asked.block);
  const type = planned.trigger?.type ?? 'dependency';
  if (type === asked.via) return null;
  return problem('INPUT_INVALID', `The trigger of block "${planned.id}" is "${type}", not "${asked.via}".`, {
    suggestion: INSTEAD[type],
    details: { block: planned.id, trigger: type },
  });
}

const INSTEAD: Readonly<Record<PlannedTrigger['type'] | 'dependency', string>> = {
  dependency: 'Nothing to do: it starts when what it depends on is done.',
  manual: 'Trigger it by hand.',
  webhook: 'Send a signed POST to its webhook.',
  event: 'Send the event it waits for.',
  cron: 'Nothing to do: it starts with the next tick of its clock.',
};

/** Apply a trigger or an event. */
export function fire(draft: Draft, asked: Asked): Result<Answer, RailyardError> {
  const refused = refusedTrigger(draft.plan, asked);
  if (refused) return err(refused);
  const target = asked.type === 'event' ? `event ${asked.name}` : `block ${asked.block}`;
  const before = bookOf(draft).seen.find(({ id }) => id === asked.id);
  if (before) {
    if (before.target === target) return ok(before.answer);
    const message = `The key "${asked.id}" belongs to another trigger, for ${before.target}.`;
    return err(
      problem('IDEMPOTENCY_KEY_REUSED', message, { suggestion: 'Use a key of its own for each trigger.' }),
    );
  }
  if (isOver(draft) || draft.state.status === 'cancelling') return err(runEnded(draft));
  if (isEnding(draft)) {
    return err(problem('RUN_ENDED', 'The run is ending: nothing new is started any more.'));
  }
  if (asked.type === 'trigger' && !listens(draft, asked.block)) {
    return ok({ kind: 'ignored', why: `Block "${asked.block}" runs once and has had its trigger` });
  }
  const { id, by, payload } = asked;
  const hearing = asked.type === 'event' ? audience(draft, asked) : [asked.block];
  const results = hearing.map((block) => {
    const type = draft.planned(block).trigger?.type ?? 'manual';
    return { block, taken: deliver(draft, block, { type, id, by, at: draft.at, payload: payload ?? null }) };
  });
  return ok(remember(draft, asked.id, target, answerOf(results)));
}

/** The clock of a block was due. Null: nobody waits for that tick. */
export function tick(draft: Draft, block: string, due: string): TriggerAnswer | null {
  if (draft.block(block).tick !== due) return null;
  draft.patch(block, { tick: null });
  if (isOver(draft) || draft.state.status === 'cancelling') return null;
  const payload = { scheduled_time: due };
  const taken = deliver(draft, block, { type: 'cron', id: due, by: 'cron', at: draft.at, payload });
  return answerOf([{ block, taken }]);
}

/** The blocks that an event is for, in plan order. */
function audience(draft: Draft, { name, payload }: EventRequest): readonly string[] {
  return draft.index.triggered.filter((id) => {
    const { trigger } = draft.planned(id);
    if (trigger?.type !== 'event' || trigger.name !== name || !listens(draft, id)) return false;
    return Object.entries(trigger.filters).every(([key, value]) => textAt(payload, key) === value);
  });
}

/** What a payload has under a key, as a filter writes it; `a.b` looks inside. Undefined where that is no plain value. */
function textAt(payload: JsonValue, key: string): string | undefined {
  let here: JsonValue | undefined = payload;
  for (const step of key.split('.')) {
    // Arrays have no names; an object has its own only.
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = (here as Readonly<Record<string, JsonValue>>)[step];
  }
  return typeof here === 'object' || here === undefined ? undefined : String(here);
}

function answerOf(results: readonly { block: string; taken: 'triggered' | 'kept' }[]): TriggerAnswer {
  const of = (which: 'triggered' | 'kept'): readonly string[] =>
    results.flatMap(({ block, taken }) => (taken === which ? [block] : []));
  const [triggered, kept] = [of('triggered'), of('kept')];
  const result = triggered.length > 0 ? 'triggered' : kept.length > 0 ? 'kept' : 'no-listener';
  return { kind: 'trigger', result, triggered, kept };
}

function remember(draft: Draft, id: string, target: string, answer: TriggerAnswer): TriggerAnswer {
  writeBook(draft, { seen: [...bookOf(draft).seen, { id, target, answer }].slice(-MAX_SEEN) });
  return answer;
}
