/**
 * Canonical texts, `wr.refs.*`: prompts refer to them by id, compiling embeds the text itself (locks, section 9). There
 * is no lookup at run time, no interpolation, no include of files.
 */
import { sha256Digest } from '../../canonical';
import { byCodeUnits, Digest, type EmbeddedRef, utf8Length } from '../model';

export interface Ref {
  readonly refId: string;
  readonly purpose: string;
  readonly text: string;
}

/** Of one text. */
export const MAX_REF_BYTES = 2048;
/** Of all texts embedded into one step. */
export const MAX_STEP_REF_BYTES = 6144;

const REFS: readonly Ref[] = [
  {
    refId: 'wr.refs.notes',
    purpose: 'How to write the notes of a step.',
    text: [
      'Write notes for this step alone; earlier notes are kept for you and come back as a recap.',
      'Say what you did and decided, what you produced (files, paths, numbers), and what is risky, open or left out on',
      'purpose. A reader who was not there must be able to go on from your notes.',
    ].join('\n'),
  },
  {
    refId: 'wr.refs.evidence',
    purpose: 'What counts as evidence.',
    text: [
      'A claim counts when somebody else can check it: a file and line, a command and its output, a quotation with its',
      'source. Mark what you infer as an inference. If you did not look, say that you did not look.',
    ].join('\n'),
  },
  {
    refId: 'wr.refs.modes',
    purpose: 'What the three modes of autonomy mean for an agent.',
    text: [
      'guided: ask the user where a step says so. full_auto_stop_on_user_deps: go on alone, and stop only for what nobody',
      'but the user can give. full_auto_never_stop: never wait; take the most careful way that is left, and disclose what',
      'was missing in your notes.',
    ].join('\n'),
  },
  {
    refId: 'wr.refs.append_only',
    purpose: 'Why nothing that was recorded is ever changed.',
    text: [
      'What was recorded stays. To correct something, record the correction and say what it corrects; never write as if',
      'the earlier state had not been there.',
    ].join('\n'),
  },
  {
    refId: 'wr.refs.delegation',
    purpose: 'How to hand work to subagents.',
    text: [
      'SPAWN SUBAGENTS, not workflows: use the Task tool with subagent_type: workrail-executor.',
      'Make all Task calls in one response, so that they run in parallel; never one after the other.',
      'Give each subagent everything it needs in its prompt: it sees nothing of this conversation.',
      'DO NOT use start_workflow (mcp_workrail_start_workflow) to delegate: it begins another run with its own state.',
      'Read what comes back critically; the result of this step is yours, not theirs.',
    ].join('\n'),
  },
  {
    refId: 'wr.refs.divergence',
    purpose: 'How to disclose that a step was not followed.',
    text: [
      'If you depart from what a step says, disclose it: add an artifact of kind "wr.workflow_divergence" to',
      'output.artifacts with reason (missing_user_context, capability_unavailable, efficiency_skip, safety_stop or',
      'policy_constraint) and a summary of what you did instead and why.',
    ].join('\n'),
  },
];

const byId = new Map(REFS.map((ref) => [ref.refId, ref]));

/** Every text, by id. */
export const refs = (): Ref[] => [...REFS].sort((a, b) => byCodeUnits(a.refId, b.refId));

export const refOf = (refId: string): Ref | undefined => byId.get(refId);

/** What a step keeps of a text that was embedded into it. */
export const embeddedRef = ({ refId, text }: Ref, placement: EmbeddedRef['placement']): EmbeddedRef => ({
  refId,
  refContentHash: Digest.parse(sha256Digest(text)),
  bytes: utf8Length(text),
  placement,
});
