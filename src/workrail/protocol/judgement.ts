/**
 * What an acknowledgement comes to, decided before the session's lock is taken. It can be: the snapshot, the preferences and the
 * observations of a place never change once the place is there, so nothing that others append meanwhile bears on it.
 */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import {
  advance,
  type Acknowledgement,
  type Advance,
  type StepOutput as Handed,
  type UserAnswer,
} from '../engine';
import {
  applyPreferences,
  CAPABILITIES,
  type CompiledStep,
  type PreferenceChange,
  truncateUtf8,
} from '../model';
import { strongObservation } from '../projections';
import { type Place, preferencesAt, stepAt } from './place';
import { type AskPerson } from './protocol';

/** A person is shown so much of the notes. */
const MAX_SHOWN_BYTES = 2_000;

/** Judge what was handed in for the pending step of a place, asking a person where the step wants that. */
export async function judge(
  place: Place,
  output: Handed,
  changes: readonly PreferenceChange[],
  ask: AskPerson,
): Promise<Result<Advance, RailyardError>> {
  const step = stepAt(place);
  if (!step) return err(problem('STEP_NOT_PENDING', 'No step of this run waits to be performed.'));
  const preferences = applyPreferences(preferencesAt(place), changes);
  const under = (who: Who): Result<Advance, RailyardError> =>
    advance(place.workflow, place.snapshot, {
      ...who,
      output,
      preferences,
      observations: observationsAt(place),
    });
  const neverStops = preferences.autonomy === 'full_auto_never_stop';
  if (step.performedBy === 'person') {
    if (neverStops) return under({ by: 'policy', answer: 'none' });
    return (await ask(question(place, step, output))) === 'yes'
      ? under({ by: 'person', answer: 'person' })
      : err(needsPerson(step));
  }
  if (!asksPerson(step) || neverStops) return under({ by: 'agent', answer: 'none' });
  // Nobody is asked to confirm what would not pass anyway.
  const confirmed = under({ by: 'agent', answer: 'person' });
  if (confirmed.isErr() || confirmed.value.kind === 'blocked') return confirmed;
  const answered = ANSWERS[await ask(question(place, step, output))];
  return answered === 'person' ? ok(confirmed.value) : under({ by: 'agent', answer: answered });
}

type Who = Pick<Acknowledgement, 'by' | 'answer'>;

/** Where nobody can be asked, the agent's acknowledgement counts, and is recorded as its claim. */
const ANSWERS = { yes: 'person', no: 'none', cannot_ask: 'agent_claim' } as const satisfies Record<
  Awaited<ReturnType<AskPerson>>,
  UserAnswer
>;

/** Whether a step wants a person's word before it is left. */
export const asksPerson = ({ requireConfirmation, nonAssumableChoice }: CompiledStep): boolean =>
  requireConfirmation || nonAssumableChoice !== undefined;

/** What may be relied on at a place: of each capability the latest strong observation in its history. */
const observationsAt = ({ view, node }: Place) =>
  CAPABILITIES.flatMap((one) => strongObservation(view.dag, view.capabilities, node.nodeId, one) ?? []);

function question({ workflow }: Place, { title }: CompiledStep, { notesMarkdown }: Handed) {
  const said = notesMarkdown.trim() === '' ? 'It handed in no notes.' : notesMarkdown;
  const text = `The agent is done with "${title}" of ${workflow.name ?? workflow.workflowId} and asks to go on.\n\n${said}`;
  return { title: `Confirm: ${title}`, text: truncateUtf8(text, MAX_SHOWN_BYTES) };
}

const needsPerson = ({ stepId, title }: CompiledStep): RailyardError =>
  problem('STEP_NEEDS_PERSON', `Step "${title}" is for a person, and no person has confirmed it.`, {
    details: { stepId },
  });
