/** resume_session: runs to go on with, for somebody who has no token (locks, section 2.3). Reads only. */
import { err, ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { isComplete } from '../model';
import { type Session, type TokenSigner } from '../ports';
import {
  currentNotes,
  observedValue,
  preferredTip,
  rankForResume,
  type Resumable,
  type ResumeCandidate,
  type Run,
  sessionView,
} from '../projections';
import { stateTokenOf } from './answer';
import { labelOf, placeAt } from './place';
import { type Reading } from './ports';
import { type ToolInput, type ToolOutput } from './tools';

type Candidate = ToolOutput<'resume_session'>['candidates'][number];

export async function resumeSession(
  reading: Reading,
  { query, gitBranch, gitHeadSha }: ToolInput<'resume_session'>,
): Promise<Result<ToolOutput<'resume_session'>, RailyardError>> {
  const signer = await reading.signer();
  if (signer.isErr()) return err(signer.error);
  const ids = await reading.sessions.list();
  if (ids.isErr()) return err(ids.error);
  const runs: Resumable[] = [];
  for (const sessionId of ids.value) {
    const session = await reading.sessions.load(sessionId);
    // Only what is healthy can be gone on with.
    if (session.isOk()) runs.push(...(await resumablesOf(reading, session.value)));
  }
  const candidates: Candidate[] = [];
  for (const ranked of rankForResume({ text: query, gitBranch, gitHeadSha }, runs)) {
    const shown = await show(reading, ranked, signer.value);
    if (shown.isErr()) return err(shown.error);
    candidates.push(shown.value);
  }
  return ok({ candidates, totalEligible: runs.length });
}

/** The runs of a session, each at its preferred tip. */
async function resumablesOf(reading: Reading, session: Session): Promise<Resumable[]> {
  const view = session.project(sessionView);
  const found: Resumable[] = [];
  const open = await reading.steward.open(session);
  // A factory that cannot be read offers nothing.
  if (open.isErr()) return [];
  for (const run of [...view.dag.runs.values()]) {
    const tip = preferredTip(run);
    const offered = open.value?.find(({ runId }) => runId === run.runId);
    if (!tip || !run.workflow || (open.value && !offered)) continue;
    const nodeId = offered?.nodeId ?? tip.node.nodeId;
    const workflow = await reading.contents.workflow(run.workflow.workflowHash);
    if (workflow.isErr()) continue;
    found.push({
      sessionId: session.sessionId,
      runId: run.runId,
      tipNodeId: nodeId,
      lastActivity: tip.lastActivity,
      gitHeadSha: observedValue(view.observations, 'git_head_sha'),
      gitBranch: observedValue(view.observations, 'git_branch'),
      recap: currentNotes(view.outputs, nodeId),
      workflowId: run.workflow.workflowId,
      workflowName: workflow.value.name ?? null,
    });
  }
  return found;
}

async function show(
  reading: Reading,
  { sessionId, runId, tipNodeId, workflowId, snippet, whyMatched }: ResumeCandidate,
  signer: TokenSigner,
): Promise<Result<Candidate, RailyardError>> {
  const session = await reading.sessions.load(sessionId);
  if (session.isErr()) return err(session.error);
  const run = session.value.project(sessionView).dag.runs.get(runId);
  const place = await placeAt(reading, session.value, ...nodeIn(run, tipNodeId));
  return place.map((found) => ({
    label: labelOf(found),
    sessionId,
    runId,
    workflowId,
    stateToken: stateTokenOf(found, signer),
    snippet: snippet ?? '',
    whyMatched: [...whyMatched],
    nextIntent: isComplete(found.snapshot) ? 'complete' : 'rehydrate_only',
  }));
}

function nodeIn(
  run: Run | undefined,
  tip: ResumeCandidate['tipNodeId'],
): [Run, NonNullable<ReturnType<Run['nodes']['get']>>] {
  const node = run?.nodes.get(tip);
  // A session only grows.
  if (!run || !node) throw new Error(`Bug: the node ${tip} has gone`);
  return [run, node];
}
