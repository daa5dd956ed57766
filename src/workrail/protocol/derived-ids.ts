/**
 * Ids of what an attempt makes, derived from run, node and attempt: the same attempt writes the same plan, whichever process
 * makes it (locks, section 1). Never from the session's id, which an import may change.
 */
import { sha256Hex } from '../../canonical';
import * as ids from '../model';

const ID_DIGITS = 32;

/** Digits of the parts; a slash is in no id, so different parts give different texts. */
const digits = (...parts: readonly (string | number)[]): string =>
  sha256Hex(parts.join('/')).slice(0, ID_DIGITS);

/** An attempt at a place: what an acknowledgement or a checkpoint is identified by. */
export interface AttemptKey {
  readonly runId: ids.RunId;
  readonly nodeId: ids.NodeId;
  readonly attemptId: ids.AttemptId;
}

const of =
  (prefix: string, what: string) =>
  ({ runId, nodeId, attemptId }: AttemptKey, ...more: readonly (string | number)[]): string =>
    `${prefix}_${digits(what, runId, nodeId, attemptId, ...more)}`;

const node = of('node', 'node');
const mark = of('node', 'checkpoint');
const output = of('out', 'output');
const context = of('ctx', 'context');
const change = of('prefchg', 'preferences');
const observed = of('capobs', 'capability');
const divergence = of('div', 'divergence');
const gap = of('gap', 'gap');
const trace = of('trace', 'trace');

/** The ids that one attempt gives to what it makes. */
export const derived = {
  node: (key: AttemptKey) => ids.NodeId.parse(node(key)),
  checkpoint: (key: AttemptKey) => ids.NodeId.parse(mark(key)),
  recap: (key: AttemptKey) => ids.OutputId.parse(output(key, 'recap')),
  artifact: (key: AttemptKey, digest: string, contentType: string) =>
    ids.OutputId.parse(output(key, 'artifact', digest, contentType)),
  warning: (key: AttemptKey, kind: string) => ids.OutputId.parse(output(key, 'warning', kind)),
  context: (key: AttemptKey) => ids.ContextId.parse(context(key)),
  preferences: (key: AttemptKey) => ids.ChangeId.parse(change(key)),
  capability: (key: AttemptKey, n: number) => ids.CapabilityObservationId.parse(observed(key, n)),
  divergence: (key: AttemptKey, n: number) => ids.DivergenceId.parse(divergence(key, n)),
  gap: (key: AttemptKey, n: number) => ids.GapId.parse(gap(key, n)),
  resolution: (key: AttemptKey, resolved: ids.GapId) => ids.GapId.parse(gap(key, 'resolves', resolved)),
  trace: (key: AttemptKey, n: number) => ids.TraceId.parse(trace(key, n)),
};

/** The run of a session that the protocol starts. */
export const runOf = (sessionId: ids.SessionId): ids.RunId =>
  ids.RunId.parse(`run_${digits('run', sessionId)}`);

/** A run's beginning, as an attempt on nothing: its ids are derived like those of any other. */
export const beginningOf = (runId: ids.RunId): AttemptKey => ({
  runId,
  nodeId: ids.NodeId.parse('none'),
  attemptId: ids.AttemptId.parse('start'),
});

/**
 * The attempts that the answer which makes a node gives out with it. Given again with every replay of that answer; a place that
 * is read again gets fresh ones.
 */
export const firstAttempts = (runId: ids.RunId, nodeId: ids.NodeId): Attempts => ({
  ack: ids.AttemptId.parse(`att_${digits('ack', runId, nodeId)}`),
  checkpoint: ids.AttemptId.parse(`att_${digits('mark', runId, nodeId)}`),
});

/** What an answer's tokens are for. */
export interface Attempts {
  readonly ack: ids.AttemptId;
  readonly checkpoint: ids.AttemptId;
}
