/** What a person sees at a gate: who is asked, since when, and what there is to judge by. */
import { type ArtifactRef } from '../../src/factory/run-state';
import { type ArtifactShelf } from '../artifacts';
import { type BlockView, type GateView, type RunView } from '../run-view';
import { previewOf, type Preview } from './preview';

/** One opening of a gate with its evidence. */
export type WaitingGate = Awaited<ReturnType<typeof waitingGate>>;

type Shown = ArtifactRef & {
  readonly block: string;
  readonly url: string;
  readonly preview: Preview | null;
};

/** Gather what a person decides on. Reads artifacts; changes nothing. */
export async function waitingGate(shelf: ArtifactShelf, view: RunView, gate: GateView, block: BlockView) {
  const show = ({ from, artifact }: Source): Promise<Shown> =>
    showArtifact(shelf, view.run_id, from, artifact);
  const inputs = await Promise.all(inputsOf(view, block).map(show));
  const outputs =
    gate.gate === 'after'
      ? await Promise.all(block.artifacts.map((artifact) => show({ from: block.id, artifact })))
      : [];
  const { attempt, opened_at, deadline, overdue, approvers, quorum, self_approval, outcome } = gate;
  return {
    run_id: view.run_id,
    factory: view.factory,
    started_by: view.started_by,
    block: block.id,
    name: block.name,
    gate: gate.gate,
    attempt,
    opened_at,
    deadline,
    overdue,
    approvers,
    quorum,
    self_approval,
    votes: gate.votes.map(({ approver, role, at }) => ({ approver, role, at })),
    outcome,
    waiting_for: outcome === null ? block.waiting_for : null,
    inputs,
    outputs,
    /** To be sent with the decision: it is then refused if they are no longer what was shown. */
    digests: [...new Set((gate.gate === 'before' ? inputs : outputs).map(({ digest }) => digest))],
    attempts: attemptsOf(block),
    feedback: block.feedback,
    trigger: block.trigger,
    warnings: block.warnings,
    notes: block.notes,
  };
}

interface Source {
  readonly from: string;
  readonly artifact: ArtifactRef;
}

function inputsOf(view: RunView, { depends }: BlockView): readonly Source[] {
  const blocks = new Map(view.blocks.map((block) => [block.id, goodArtifacts(block)]));
  return depends.flatMap(({ block, key }) =>
    (blocks.get(block) ?? [])
      .filter((artifact) => artifact.key === key)
      .map((artifact) => ({ from: block, artifact })),
  );
}

/** What others use of a block: while it runs again, what its last good attempt left. */
const goodArtifacts = ({ status, artifacts, last_done }: BlockView): readonly ArtifactRef[] =>
  status === 'done' ? artifacts : (last_done?.artifacts ?? []);

async function showArtifact(
  shelf: ArtifactShelf,
  run: string,
  block: string,
  artifact: ArtifactRef,
): Promise<Shown> {
  const url = `/api/a360/factory-run/${run}/artifact/${block}/${encodeURIComponent(artifact.key)}`;
  return { block, ...artifact, url, preview: await previewOf(shelf, artifact) };
}

/** Scores of all attempts, the one that waits last. */
function attemptsOf({ attempt, score, metrics, failure, error, started_at, ended_at, history }: BlockView) {
  const closed = history.some((one) => one.attempt === attempt);
  const current = { attempt, score, metrics, failure, error, started_at, ended_at };
  return closed || started_at === null ? history : [...history, current];
}
