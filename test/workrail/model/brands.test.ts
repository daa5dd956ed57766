import { expect, it } from '@jest/globals';
import {
  NodeId,
  RunId,
  SessionId,
  type EventIndex,
  type ManifestIndex,
  type SnapshotRef,
  type WorkflowHash,
} from '../../../src/workrail/model';

/** Never called: what counts is that each line with the mark does not compile, which `npm run types` sees. */
export function mixedUp(run: RunId, hash: WorkflowHash, index: ManifestIndex): unknown[] {
  // @ts-expect-error a run is no node
  const node: NodeId = run;
  // @ts-expect-error any text is no session
  const session: SessionId = 'sess_1';
  // @ts-expect-error a workflow's hash is no snapshot's
  const snapshot: SnapshotRef = hash;
  // @ts-expect-error a place in the manifest is none among the events
  const event: EventIndex = index;
  return [node, session, snapshot, event];
}

it('[branded-id-types] ids are made by their own schemas, which refuse what is unsafe in a path or a token', () => {
  for (const schema of [SessionId, RunId, NodeId]) {
    expect(
      ['ok_1', '../up', 'a/b', '', 'a b', '.hidden'].map((text) => schema.safeParse(text).success),
    ).toEqual([...[true, false, false, false, false, false]]);
  }
});
