/**
 * Features, `wr.features.*`: a closed set of things a workflow can switch on (locks, section 5). They are applied in the
 * order of their ids; what they inject is a canonical text into steps, a contract, or steps at one of two anchors.
 */
import { z } from 'zod';
import { WORKFLOW_DIVERGENCE } from '../engine';
import { byCodeUnits, type Capability } from '../model';
import { type AuthoredStep } from './authored';

/** A step that a feature puts at the beginning or the end of the walk. */
export interface Injection {
  readonly anchor: 'start' | 'end';
  readonly step: AuthoredStep;
}

export interface Feature {
  readonly featureId: string;
  readonly purpose: string;
  readonly config: z.ZodType;
  /** A canonical text for the constraints of every authored step that an agent performs. */
  readonly refId?: string;
  /** Contracts that the feature embeds beyond those of steps. */
  readonly contracts: readonly string[];
  /** The capability without which it makes no sense. */
  readonly needs?: Capability;
  readonly inject: (config: unknown) => readonly Injection[];
}

const none = z.strictObject({});
const FinalCheck = z.strictObject({
  questions: z.array(z.string().min(1).max(500)).min(1).max(10).optional(),
});

const FEATURES: readonly Feature[] = [
  {
    featureId: 'wr.features.divergence_disclosure',
    purpose: 'Every step may disclose, as an artifact, that it was not followed.',
    config: none,
    refId: 'wr.refs.divergence',
    contracts: [WORKFLOW_DIVERGENCE],
    inject: () => [],
  },
  {
    featureId: 'wr.features.final_check',
    purpose: 'A last step that compares the result with what was asked.',
    config: FinalCheck,
    contracts: [],
    inject: (config) => [
      { anchor: 'end', step: finalCheck(FinalCheck.safeParse(config).data?.questions ?? []) },
    ],
  },
  {
    featureId: 'wr.features.follow_ups',
    purpose: 'A last step that leaves what was not done as pieces somebody can pick up.',
    config: none,
    contracts: [],
    inject: () => [{ anchor: 'end', step: followUps() }],
  },
  {
    featureId: 'wr.features.memory_notes',
    purpose: 'Every step says how its notes are to be written, so that a new chat can go on from them.',
    config: none,
    refId: 'wr.refs.notes',
    contracts: [],
    inject: () => [],
  },
  {
    featureId: 'wr.features.subagent_guidance',
    purpose: 'Every step says how work is handed to subagents.',
    config: none,
    refId: 'wr.refs.delegation',
    contracts: [],
    needs: 'delegation',
    inject: () => [],
  },
];

function finalCheck(questions: readonly string[]): AuthoredStep {
  return {
    id: 'wr-final-check',
    title: 'Compare the result with the task',
    promptBlocks: {
      goal: 'Before this ends, compare what was produced with what was asked at the beginning.',
      constraints: [{ kind: 'ref', refId: 'wr.refs.evidence' }],
      procedure: [
        'Restate the task in one sentence.',
        'For each thing that was asked write "Asked:" with the thing, and "Shown:" with where the result shows it.',
        ...questions,
        'Write "Open:" with everything that is not done or not certain; "Open: nothing" if so.',
      ],
    },
    validationCriteria: {
      and: [
        { type: 'contains', value: 'Asked:', message: 'Name what was asked.' },
        { type: 'contains', value: 'Shown:', message: 'Say where the result shows it.' },
        { type: 'contains', value: 'Open:', message: 'Name what is open.' },
        { type: 'length', min: 120, message: 'Compare in substance.' },
      ],
    },
  };
}

function followUps(): AuthoredStep {
  return {
    id: 'wr-follow-ups',
    title: 'Leave what is not done as follow-ups',
    promptBlocks: {
      goal: 'Turn what is open, postponed or suspected into pieces of work that somebody else could begin tomorrow.',
      procedure: [
        'Go through your notes and the recap for what was left out, worked around or only suspected.',
        'Write each as "Follow-up N:" with what is to be done, why it matters, where to begin, and how one sees that it is done.',
        'Write "Follow-up 0: none" only after that search, and say what you went through.',
      ],
    },
    validationCriteria: {
      and: [
        { type: 'regex', pattern: 'Follow-up \\d+:', message: 'Number the follow-ups.' },
        { type: 'length', min: 80, message: 'Enough for somebody to begin.' },
      ],
    },
  };
}

const byId = new Map(FEATURES.map((one) => [one.featureId, one]));

/** Every feature, by id. */
export const features = (): Feature[] => [...FEATURES].sort((a, b) => byCodeUnits(a.featureId, b.featureId));

export const featureOf = (featureId: string): Feature | undefined => byId.get(featureId);
