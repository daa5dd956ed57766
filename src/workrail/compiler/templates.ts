/**
 * Templates, `wr.templates.*`: a closed set of step lists with parameters (locks, section 9). A `template_call` is
 * replaced in place by what its template makes of the parameters, in the template's order.
 */
import { z } from 'zod';
import { byCodeUnits, CAPABILITIES, type Capability } from '../model';
import { CAPABILITY_OBSERVATION, CAPABILITY_PROBE, LOOP_CONTROL } from '../engine';
import { type AuthoredCondition, type AuthoredStep, type LoopHead, MAX_ITERATIONS } from './authored';

/** What a template makes: steps and loops in authored form, and the conditions they need. */
export interface Expansion {
  readonly items: readonly ExpandedItem[];
  readonly conditions: readonly AuthoredCondition[];
}
export type ExpandedItem =
  | { readonly kind: 'step'; readonly step: AuthoredStep; readonly probes?: Capability }
  | {
      readonly kind: 'loop';
      readonly loop: Omit<LoopHead, 'body'>;
      readonly body: readonly ExpandedItem[];
    };

export interface Template {
  readonly templateId: string;
  readonly purpose: string;
  readonly params: z.ZodType;
  /** Parameters that fit `params`; null: they do not, and `expand` is not to be asked. */
  readonly expand: (id: string, params: unknown) => Expansion | null;
}

/** A template whose parameters are parsed by its own schema. */
function template<S extends z.ZodType>(
  templateId: string,
  purpose: string,
  params: S,
  make: (id: string, params: z.infer<S>) => Expansion,
): Template {
  return {
    templateId,
    purpose,
    params,
    expand: (id, given) => {
      const parsed = params.safeParse(given);
      return parsed.success ? make(id, parsed.data) : null;
    },
  };
}

const line = z.string().regex(/\S/, 'The text must not be blank').max(1000);

const HOW_TO_PROBE: Readonly<Record<Capability, string>> = {
  delegation:
    'Start one subagent with the Task tool, ask it to answer with the single word "ready", and read its answer.',
  web_browsing: 'Fetch one public web page with the tool you would use for research, and read its title.',
};

const TEMPLATES: readonly Template[] = [
  template(
    CAPABILITY_PROBE,
    'One step that tries a capability and records what happened, with strong provenance.',
    z.strictObject({ capability: z.enum(CAPABILITIES) }),
    (id, { capability }) => ({
      conditions: [],
      items: [
        {
          kind: 'step',
          probes: capability,
          step: {
            id,
            title: `Probe: ${capability}`,
            promptBlocks: {
              goal: `Find out whether ${capability} works here, by trying it once.`,
              procedure: [
                HOW_TO_PROBE[capability],
                `Record what happened for the capability "${capability}": what you tried, and what came back.`,
              ],
              constraints: ['Do not guess: an untried capability is not available.'],
            },
            outputContract: { contractRef: CAPABILITY_OBSERVATION },
          },
        },
      ],
    }),
  ),
  template(
    'wr.templates.review_loop',
    'Review something against criteria and revise it, until it passes or the rounds are used up.',
    z.strictObject({
      subject: line,
      criteria: z.array(line).min(1).max(12),
      maxRounds: z.int().min(1).max(MAX_ITERATIONS),
    }),
    (id, { subject, criteria, maxRounds }) => ({
      conditions: [{ id: `${id}-control`, kind: 'loop_control', loopId: id }],
      items: [
        {
          kind: 'loop',
          loop: {
            type: 'loop',
            loopId: id,
            title: `Review of ${subject}`,
            maxIterations: maxRounds,
            while: { kind: 'condition_ref', conditionId: `${id}-control` },
          },
          body: [
            { kind: 'step', step: reviewStep(id, subject, criteria) },
            { kind: 'step', step: reviseStep(id, subject) },
            { kind: 'step', step: decideStep(id, subject) },
          ],
        },
      ],
    }),
  ),
  template(
    'wr.templates.parallel_delegation',
    'Hand independent pieces of work to subagents in parallel, and bring their results together.',
    z.strictObject({
      purpose: line,
      subagents: z
        .array(z.strictObject({ name: line, prompt: line, description: line }))
        .min(1)
        .max(8),
    }),
    (id, { purpose, subagents }) => ({
      conditions: [],
      items: [
        {
          kind: 'step',
          step: {
            id,
            title: `Delegate: ${purpose}`,
            promptBlocks: {
              goal: purpose,
              constraints: [{ kind: 'ref', refId: 'wr.refs.delegation' }],
              procedure: [
                `Spawn ${subagents.length} subagents IN PARALLEL by making ${subagents.length} Task tool calls in a single response:`,
                ...subagents.map(
                  ({ name, prompt, description }, i) =>
                    `Subagent ${i + 1} (${name}): Task tool with subagent_type: workrail-executor; prompt: "${prompt}"; description: "${description}".`,
                ),
                'Where results contradict each other, check the point yourself before you take a side.',
              ],
              verify: ['Every subagent has answered, or its absence stands in the notes.'],
            },
          },
        },
      ],
    }),
  ),
];

function reviewStep(id: string, subject: string, criteria: readonly string[]): AuthoredStep {
  return {
    id: `${id}-review`,
    title: `Review ${subject}`,
    promptBlocks: {
      goal: `Review ${subject} as somebody who did not make it and has to live with it.`,
      constraints: [{ kind: 'ref', refId: 'wr.refs.evidence' }, 'Change nothing in this step.'],
      procedure: [
        ...criteria.map((criterion) => `Judge: ${criterion}`),
        'List every finding as "Finding N:" with its place, its severity (severity: high, medium or low) and why it matters.',
        'If there is nothing to find, write "Finding 0: none" and say, for each criterion, what you looked at.',
      ],
    },
    validationCriteria: {
      and: [
        { type: 'regex', pattern: '(?m)^\\W*Finding \\d+:', message: 'List numbered findings.' },
        { type: 'length', min: 120, message: 'Say what was looked at.' },
      ],
    },
  };
}

function reviseStep(id: string, subject: string): AuthoredStep {
  return {
    id: `${id}-revise`,
    title: `Revise ${subject}`,
    promptBlocks: {
      goal: `Act on the findings about ${subject}.`,
      procedure: [
        'Go through the findings in order of severity.',
        'For each one write "Finding N:" and what you changed, or why it stays as it is.',
      ],
      verify: ['No finding of high severity is left without a change or a reason.'],
    },
    validationCriteria: {
      and: [
        { type: 'regex', pattern: 'Finding \\d+:', message: 'Answer each finding by its number.' },
        { type: 'length', min: 60, message: 'Say what was changed.' },
      ],
    },
  };
}

function decideStep(id: string, subject: string): AuthoredStep {
  return {
    id: `${id}-decide`,
    title: `Another round for ${subject}?`,
    promptBlocks: {
      goal: 'Decide whether one more round of review is worth it.',
      procedure: [
        'Continue if a finding of high severity is open, or the last changes were large enough to bring in new ones.',
        'Stop if what is left is small, and name it in the summary.',
      ],
    },
    outputContract: { contractRef: LOOP_CONTROL },
  };
}

const byId = new Map(TEMPLATES.map((one) => [one.templateId, one]));

/** Every template, by id. */
export const templates = (): Template[] =>
  [...TEMPLATES].sort((a, b) => byCodeUnits(a.templateId, b.templateId));

export const templateOf = (templateId: string): Template | undefined => byId.get(templateId);
