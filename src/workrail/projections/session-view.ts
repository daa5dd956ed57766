/** All projections of a session together: one fold, one state, and what the queries below need of each other. */
import { type EventIndex, type SessionId } from '../model';
import { type Projection } from '../ports';
import { advances, type Advances } from './advances';
import { capabilities, type Capabilities } from './capabilities';
import { gaps, type Gaps } from './gaps';
import { nodeOutputs, type NodeOutputs } from './node-outputs';
import { observations, type Observations } from './observations';
import { preferences, type NodePreferences } from './preferences';
import { runContexts, type RunContexts } from './run-context';
import { runDag, type RunDag } from './run-dag';

export interface SessionView {
  readonly dag: RunDag;
  readonly outputs: NodeOutputs;
  readonly gaps: Gaps;
  readonly preferences: NodePreferences;
  readonly capabilities: Capabilities;
  readonly contexts: RunContexts;
  readonly advances: Advances;
  readonly observations: Observations;
  sessionId: SessionId | null;
  /** The last event that was read; a rebuilt view goes on from here. */
  lastEventIndex: EventIndex | null;
  /** For people only: times of the first and the last event that say theirs. */
  firstMs: number | null;
  lastMs: number | null;
}

export const sessionView: Projection<SessionView> = {
  name: 'session_view',
  initial: () => ({
    dag: runDag.initial(),
    outputs: nodeOutputs.initial(),
    gaps: gaps.initial(),
    preferences: preferences.initial(),
    capabilities: capabilities.initial(),
    contexts: runContexts.initial(),
    advances: advances.initial(),
    observations: observations.initial(),
    sessionId: null,
    lastEventIndex: null,
    firstMs: null,
    lastMs: null,
  }),
  apply: (view, event) => {
    runDag.apply(view.dag, event);
    nodeOutputs.apply(view.outputs, event);
    gaps.apply(view.gaps, event);
    preferences.apply(view.preferences, event);
    capabilities.apply(view.capabilities, event);
    runContexts.apply(view.contexts, event);
    advances.apply(view.advances, event);
    observations.apply(view.observations, event);
    view.sessionId = event.sessionId;
    view.lastEventIndex = event.eventIndex;
    view.firstMs ??= event.timestampMs ?? null;
    view.lastMs = event.timestampMs ?? view.lastMs;
  },
};
