/**
 * The workflow compiler, a pure pipeline: JSON → draft (templates expanded in place) → probes and features injected →
 * checks → compiled workflow and its hash. Every problem is reported at once; the same source gives the same bytes.
 */
import { err, type Result } from 'neverthrow';
import { digestOf, type JsonValue } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import { parseJson } from '../../factory/compile';
import { type TemplateProblem } from '../../factory/schema';
import { type CompiledWorkflow, WorkflowHash } from '../model';
import { checkBuiltins } from './check-builtins';
import { checkFunctions } from './check-functions';
import { checkIds } from './check-ids';
import { checkLoops } from './check-loops';
import { type Draft } from './draft';
import { inject } from './inject';
import { lower } from './lower';
import { checkPrompts } from './prompts';
import { readWorkflow } from './read';
import { checkWorkflowId, identityOf, type WorkflowIdentity, type WorkflowOrigin } from './workflow-ids';

export interface WorkflowCompilation {
  readonly compiled: CompiledWorkflow;
  /** `sha256` of the canonical JSON of `compiled`: what a run is pinned to. */
  readonly workflowHash: WorkflowHash;
  /** About the id and the source; not part of the hash, since the same workflow may come from elsewhere. */
  readonly identity: WorkflowIdentity;
}

const CHECKS: readonly ((draft: Draft) => TemplateProblem[])[] = [
  checkIds,
  checkPrompts,
  checkLoops,
  checkFunctions,
  checkBuiltins,
];

/** Compile a workflow, given as JSON text or as a value. WORKFLOW_INVALID carries `details.problems`. */
export function compileWorkflow(
  source: unknown,
  origin: WorkflowOrigin,
): Result<WorkflowCompilation, RailyardError> {
  return parseJson(source)
    .mapErr(({ reason, place, details }) =>
      problem('WORKFLOW_NOT_JSON', `The workflow is not JSON: ${place}: ${reason}.`, { details }),
    )
    .andThen((value) => compileValue(value, origin));
}

function compileValue(value: JsonValue, origin: WorkflowOrigin): Result<WorkflowCompilation, RailyardError> {
  const { draft: read, problems: unread } = readWorkflow(value);
  const draft = inject(read);
  const { id } = draft.head;
  const problems = [
    ...unread,
    ...(id === undefined ? [] : checkWorkflowId(id, origin)),
    ...CHECKS.flatMap((check) => check(draft)),
  ];
  if (problems.length > 0 || id === undefined) return err(invalid(problems));
  const compiled = lower(draft);
  return digestOf(compiled)
    .mapErr(({ pointer, reason }) =>
      problem('INTERNAL', `A compiled workflow is not JSON at ${pointer}: ${reason}.`),
    )
    .map((digest) => ({
      compiled,
      workflowHash: WorkflowHash.parse(digest),
      identity: identityOf(id, origin),
    }));
}

function invalid(problems: readonly TemplateProblem[]): RailyardError {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  return problem('WORKFLOW_INVALID', `The workflow has ${count}.`, { details: { problems } });
}
