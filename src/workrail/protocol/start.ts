/** start_workflow: a session with one run of one workflow, pinned as it is now. */
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import { start } from '../engine';
import { type SessionId } from '../model';
import { sessionView } from '../projections';
import { asTokenProblem } from '../tokens';
import { answerOfFacts } from './answer';
import { contextAfter, jsonField, preferenceChanges } from './input';
import { placeAt } from './place';
import { planStart } from './plan-start';
import { type Writing } from './ports';
import { type KnownWorkflow, type WorkflowCatalog } from './protocol';
import { type StepOutput, type ToolInput } from './tools';

export async function startWorkflow(
  writing: Writing,
  input: ToolInput<'start_workflow'>,
): Promise<Result<StepOutput, RailyardError>> {
  const known = await workflowNamed(writing.catalog, input.workflowId);
  if (known.isErr()) return err(known.error);
  const context = jsonField('workspace', input.workspace ?? {}).andThen(() =>
    contextAfter({}, input.context),
  );
  if (context.isErr()) return err(context.error);
  const started = start(known.value.compiled);
  if (started.isErr()) return err(started.error);
  const pinned = await writing.workflows.put(known.value.compiled);
  if (pinned.isErr()) return err(pinned.error);
  const sessionId = writing.minting.sessionId();
  const plan = planStart(
    sessionId,
    known.value,
    {
      ...started.value,
      context: context.value,
      changes: preferenceChanges(input.preferences),
      workspace: input.workspace ?? {},
    },
    writing.minting,
  );
  const appended = await writing.sessions.withSession(sessionId, (_, witness) =>
    writing.sessions.append(witness, [plan]),
  );
  if (appended.isErr()) return err(asTokenProblem(appended.error));
  writing.contents.remember(started.value.snapshot);
  return answerOf(writing, sessionId);
}

async function answerOf(writing: Writing, sessionId: SessionId): Promise<Result<StepOutput, RailyardError>> {
  const session = await writing.sessions.load(sessionId);
  if (session.isErr()) return err(asTokenProblem(session.error));
  const [run] = session.value.project(sessionView).dag.runs.values();
  const [root] = run?.nodes.values() ?? [];
  if (!run || !root) throw new Error(`Bug: the session ${sessionId} was started and has no root`);
  const place = await placeAt(writing, session.value, run, root);
  if (place.isErr()) return err(place.error);
  const signer = await writing.signer();
  return signer.andThen((keys) => answerOfFacts(place.value, keys));
}

/** A workflow by its id or alias; who misses it hears what there is. */
export async function workflowNamed(
  catalog: WorkflowCatalog,
  workflowId: string,
): Promise<Result<KnownWorkflow, RailyardError>> {
  const found = await catalog.find(workflowId);
  if (found.isErr()) return err(found.error);
  if (found.value) return ok(found.value);
  const all = await catalog.list();
  const ids = all.isOk() ? all.value.known.map(({ identity }) => identity.workflowId) : [];
  return err(
    problem('WORKFLOW_NOT_FOUND', `There is no workflow "${workflowId}".`, {
      ...(ids.length > 0 ? { suggestion: `Use one of: ${ids.slice(0, MAX_NAMED).join(', ')}.` } : {}),
      details: { workflowId },
    }),
  );
}

const MAX_NAMED = 20;
