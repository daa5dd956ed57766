/**
 * The six tools of the protocol: what each takes, answers and is for. The one source of their schemas and descriptions
 * (locks, section 8); the MCP server and the tool reference are made from this table.
 */
import { z } from 'zod';
import {
  AUTONOMIES,
  NEXT_INTENTS,
  RESUME_MATCHES,
  RISK_POLICIES,
  WORKFLOW_SOURCES,
  Blocker,
  Preferences,
} from '../model';

const context = z
  .record(z.string(), z.unknown())
  .describe(
    'Small external inputs: ids, paths, parameters. It is kept with the run, so send only what is new or has changed: ' +
      'keys replace those of before, null removes one. At most 256 KB of canonical JSON.',
  );

const preferences = z
  .strictObject({ autonomy: z.enum(AUTONOMIES).optional(), riskPolicy: z.enum(RISK_POLICIES).optional() })
  .describe('How much goes on without asking the user; only what the user asked for.');

const label = z
  .string()
  .describe(
    'Which session and step this is about. With several workflows in one chat, use tokens of one label only.',
  );

const stateToken = z
  .string()
  .describe('Names a place in a run. It stays good: an old one leads back to where it was given.');
const ackToken = z
  .string()
  .describe(
    'Acknowledges the pending step, once. Sent again it returns the same answer and does nothing anew.',
  );
const checkpointToken = z.string().describe('For checkpoint_workflow, at this place.');

export const ListWorkflowsInput = z.strictObject({});
export const ListWorkflowsOutput = z.strictObject({
  workflows: z.array(
    z.strictObject({
      workflowId: z.string(),
      name: z.string(),
      description: z.string(),
      workflowHash: z.string(),
      sourceKind: z.enum(WORKFLOW_SOURCES),
      idStatus: z.enum(['namespaced', 'legacy']),
      canonicalId: z.string().optional(),
      suggestedId: z.string().optional(),
    }),
  ),
  problems: z
    .array(z.strictObject({ source: z.string(), message: z.string(), suggestion: z.string() }))
    .describe('Workflows that are there and cannot be used, and why.'),
});

export const InspectWorkflowInput = z.strictObject({
  workflowId: z.string().describe('As list_workflows shows it.'),
  mode: z
    .enum(['metadata', 'steps'])
    .default('metadata')
    .describe('"steps" also shows every step with its prompt.'),
});
export const InspectWorkflowOutput = z.strictObject({
  workflowId: z.string(),
  workflowHash: z.string(),
  name: z.string(),
  description: z.string(),
  sourceKind: z.enum(WORKFLOW_SOURCES),
  recommended: preferences,
  capabilities: z.array(z.strictObject({ capability: z.string(), requirement: z.string() })),
  stepCount: z.int(),
  loopCount: z.int(),
  warnings: z.array(z.string()),
  steps: z
    .array(
      z.strictObject({
        stepId: z.string(),
        title: z.string(),
        prompt: z.string(),
        loops: z.array(z.string()),
        requireConfirmation: z.boolean(),
      }),
    )
    .optional(),
});

export const StartWorkflowInput = z.strictObject({
  workflowId: z.string().describe('As list_workflows shows it.'),
  context: context.optional(),
  preferences: preferences.optional(),
  workspace: z
    .strictObject({
      gitBranch: z.string().max(80).optional(),
      gitHeadSha: z
        .string()
        .regex(/^[0-9a-f]{40}$/)
        .optional(),
      repoRoot: z.string().max(512).optional(),
    })
    .optional()
    .describe('Where you work; it lets resume_session find this session in a new chat.'),
});

export const ContinueWorkflowInput = z.strictObject({
  stateToken,
  ackToken: ackToken
    .optional()
    .describe(
      'Leave it out to read again where you are: nothing is written then. Send it when the step is done.',
    ),
  output: z
    .strictObject({
      notesMarkdown: z
        .string()
        .optional()
        .describe(
          'What you did in THIS step only, 10 to 30 lines: decisions, results with paths and numbers, risks and open questions. ' +
            'Do not repeat notes of earlier steps; they are kept.',
        ),
      artifacts: z
        .array(z.unknown())
        .max(64)
        .optional()
        .describe('Structured results that the step asks for, each an object with a "kind".'),
    })
    .optional(),
  context: context.optional(),
  preferences: preferences.optional(),
  fork: z
    .boolean()
    .optional()
    .describe('True where you try another way from here on purpose, though this place has been left before.'),
});

/** The answer of start_workflow and continue_workflow. */
export const StepOutput = z.strictObject({
  kind: z.enum(['ok', 'blocked']),
  label,
  stateToken,
  ackToken: ackToken
    .optional()
    .describe('Missing at the end of a run, and where retryAckToken stands instead.'),
  checkpointToken: checkpointToken.optional(),
  isComplete: z.boolean(),
  pending: z
    .strictObject({ stepId: z.string(), title: z.string(), prompt: z.string() })
    .nullable()
    .describe('What to do now; null where nothing waits.'),
  nextIntent: z.enum(NEXT_INTENTS),
  preferences: Preferences,
  blockers: z.array(Blocker).optional().describe('Why the step was not taken; each says how to mend it.'),
  retryAckToken: z
    .string()
    .optional()
    .describe('Send the corrected output with this one, and the stateToken of this answer.'),
  gapCount: z.int().describe('Gaps of this run that nobody has resolved.'),
  warnings: z.array(z.string()),
});
export type StepOutput = z.infer<typeof StepOutput>;

export const CheckpointWorkflowInput = z.strictObject({
  checkpointToken,
  notesMarkdown: z.string().optional().describe('What is worth keeping at this point.'),
});
export const CheckpointWorkflowOutput = z.strictObject({
  label,
  checkpointNodeId: z.string(),
  stateToken,
  checkpointToken: checkpointToken.describe('For the next checkpoint at this place.'),
});

export const ResumeSessionInput = z.strictObject({
  query: z
    .string()
    .max(2_000)
    .optional()
    .describe('Words about the work: all of them must be in its notes or its workflow.'),
  gitBranch: z.string().max(80).optional(),
  gitHeadSha: z
    .string()
    .regex(/^[0-9a-f]{40}$/)
    .optional(),
});
export const ResumeSessionOutput = z.strictObject({
  candidates: z.array(
    z.strictObject({
      label,
      sessionId: z.string(),
      runId: z.string(),
      workflowId: z.string(),
      stateToken,
      snippet: z.string(),
      whyMatched: z.array(z.enum(RESUME_MATCHES)),
      nextIntent: z.enum(NEXT_INTENTS),
    }),
  ),
  totalEligible: z.int(),
});

/** What a client may assume of a tool before it calls it. */
export interface ToolHints {
  readonly readOnly: boolean;
  readonly idempotent: boolean;
  readonly destructive: boolean;
}

export interface Tool {
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly output: z.ZodObject;
  readonly hints: ToolHints;
}

const READS: ToolHints = { readOnly: true, idempotent: true, destructive: false };

export const TOOLS = {
  list_workflows: {
    title: 'List workflows',
    description: 'Lists the workflows you can start. Read-only. Then start one with start_workflow.',
    input: ListWorkflowsInput,
    output: ListWorkflowsOutput,
    hints: READS,
  },
  inspect_workflow: {
    title: 'Inspect a workflow',
    description:
      'Shows one workflow before you start it: what it needs, how many steps it has, and with mode "steps" each prompt.',
    input: InspectWorkflowInput,
    output: InspectWorkflowOutput,
    hints: READS,
  },
  start_workflow: {
    title: 'Start a workflow',
    description:
      'Starts a new run and gives you its first step with fresh tokens. Do the step in "pending", then call continue_workflow with the ' +
      'stateToken and ackToken of this answer. Each call starts another run: to go on with one, use continue_workflow or resume_session.',
    input: StartWorkflowInput,
    output: StepOutput,
    hints: { readOnly: false, idempotent: false, destructive: false },
  },
  continue_workflow: {
    title: 'Continue a workflow',
    description:
      'With an ackToken: takes what you did in the pending step and gives you the next one. Without: shows again where you are, and ' +
      'changes nothing. If an answer was lost, send exactly the same call again. If it answers "blocked", mend what the blockers name and ' +
      'send it again with the retryAckToken. Tokens come in pairs: never mix those of two answers.',
    input: ContinueWorkflowInput,
    output: StepOutput,
    hints: { readOnly: false, idempotent: true, destructive: false },
  },
  checkpoint_workflow: {
    title: 'Keep a checkpoint',
    description:
      'Keeps notes at the present place without acknowledging the step, for long steps. Sent again it keeps nothing twice.',
    input: CheckpointWorkflowInput,
    output: CheckpointWorkflowOutput,
    hints: { readOnly: false, idempotent: true, destructive: false },
  },
  resume_session: {
    title: 'Resume a session',
    description:
      'Finds runs to go on with in a new chat, the best match first. Read-only. Then call continue_workflow with the stateToken of the ' +
      'right candidate and no ackToken.',
    input: ResumeSessionInput,
    output: ResumeSessionOutput,
    hints: READS,
  },
} as const satisfies Record<string, Tool>;

export type ToolName = keyof typeof TOOLS;
export type ToolInput<N extends ToolName> = z.output<(typeof TOOLS)[N]['input']>;
export type ToolOutput<N extends ToolName> = z.infer<(typeof TOOLS)[N]['output']>;
