/** What a decision is applied to: artifacts by digest. */
import type { GateKind } from '../plan';
import type { ArtifactRef } from '../run-state';
import { goodArtifacts } from './readiness';
import type { View } from './view';

interface Shown {
  readonly block: string;
  readonly artifact: ArtifactRef;
}

/** What a person is shown at the gate: the block's inputs before it, its artifacts after it. */
export function shownDigests(view: View, id: string, gate: GateKind): ReadonlySet<string> {
  const shown = gate === 'before' ? inputs(view, id) : outputs(view, id);
  return new Set(shown.map(({ artifact }) => artifact.digest));
}

/**
 * What set the block off, if anything did, and `block/key=sha256:…`: the inputs, and after the block also its
 * artifacts, each part sorted.
 */
export function evidence(view: View, id: string, gate: GateKind): readonly string[] {
  const { trigger } = view.block(id);
  // An approval of what one trigger asked for is none of what the next one asks for.
  const cause = trigger ? [`trigger=${trigger.type} ${trigger.id}`] : [];
  const lines = (shown: readonly Shown[]): readonly string[] =>
    shown.map(({ block, artifact }) => `${block}/${artifact.key}=${artifact.digest}`).sort();
  return gate === 'before'
    ? [...cause, ...lines(inputs(view, id))]
    : [...cause, ...lines(inputs(view, id)), ...lines(outputs(view, id))];
}

/** Are these the digests a person would be shown now? A decision that names none is taken as it is. */
export function sameDigests(
  view: View,
  id: string,
  gate: GateKind,
  digests: readonly string[] | null,
): boolean {
  if (digests === null) return true;
  const said = new Set(digests);
  const shown = shownDigests(view, id, gate);
  return said.size === shown.size && [...said].every((digest) => shown.has(digest));
}

function inputs(view: View, id: string): readonly Shown[] {
  return view.planned(id).depends.flatMap(({ block, key }) =>
    goodArtifacts(view, block)
      .filter((artifact) => artifact.key === key)
      .map((artifact) => ({ block, artifact })),
  );
}

function outputs(view: View, id: string): readonly Shown[] {
  return view.block(id).artifacts.map((artifact) => ({ block: id, artifact }));
}
