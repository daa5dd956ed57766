/**
 * The port to whatever performs a skill. The contract is the same for every runtime: a JSON request in, a JSON result
 * out, artifacts at the paths the request names. What to make of the result is not the runtime's business.
 */
import { type JsonObject, type JsonValue } from '../src/canonical';
import { type AttemptArtifact } from '../src/factory/attempt';
import { type CompiledArtifact, type CompiledFactory, type CompiledMetric } from '../src/factory/compile';
import {
  type ArtifactRef,
  type AttemptRecord,
  type Feedback,
  type FiredTrigger,
} from '../src/factory/run-state';

/** An artifact and the block that wrote it. */
export type InputArtifact = ArtifactRef & Pick<AttemptArtifact, 'block'>;

/** What a skill is told. Written to `request.json`; never holds the value of an environment variable. */
export interface SkillRequest {
  readonly version: 1;
  readonly run: string;
  readonly block: string;
  readonly attempt: number;
  readonly skill: string;
  /** Null: the runtime's default. */
  readonly model: string | null;
  readonly perspective: string | null;
  /** Absolute. */
  readonly workspace: string;
  /** Of the run, with the block's own `run_params` over them. */
  readonly parameters: JsonObject;
  readonly config: JsonObject;
  readonly modules: CompiledFactory['moduleMapping'];
  readonly inputs: readonly InputArtifact[];
  /** Those of the inputs that come from the blocks in `lens.aggregates`. */
  readonly aggregate: readonly InputArtifact[];
  /** Absolute paths of the files that `inputs.files` names. */
  readonly files: readonly string[];
  /** Where the artifacts must be when the skill ends. */
  readonly outputs: readonly CompiledArtifact[];
  readonly metrics: readonly CompiledMetric[];
  /** What its records are about, and the states they may be in; none: any. */
  readonly record_state: { readonly track_per: string | null; readonly states: readonly string[] };
  readonly feedback: readonly Feedback[];
  readonly previous: AttemptRecord | null;
  /** What set the block off; null: its dependencies alone. */
  readonly trigger: { readonly type: FiredTrigger['type']; readonly payload: JsonValue } | null;
  /**
   * With `lens.feedback_loop`: what this block left in the previous completed run with the same parameters, at paths of
   * this attempt; null: there is no such run, or the block does not ask for it.
   */
  readonly previous_run: { readonly artifacts: readonly ArtifactRef[] } | null;
}

/** One execution of a skill. */
export interface SkillJob {
  readonly request: SkillRequest;
  /** The attempt's own folder, outside of the workspace: request, result and logs. */
  readonly dir: string;
  /** Where skills live, the first folder that has one wins. */
  readonly skillDirs: readonly string[];
  /** Variables of `inputs.env` that are allowed and set. Their values appear in nothing that is kept. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  /** Told once, where the skill is a process. */
  readonly onStart: (pid: number) => void;
}

/** How an execution ended, as far as the runtime can tell. Texts say what to do. */
export type SkillOutcome =
  /** The skill says it is done; `result` is JSON that nobody has looked at yet. */
  | { readonly kind: 'finished'; readonly result: unknown }
  | { readonly kind: 'failed'; readonly failure: 'error' | 'timeout'; readonly error: string }
  | { readonly kind: 'cancelled'; readonly error: string };

/** Something that performs skills. Rejects only for trouble of the machine; nothing of the skill outlives the promise. */
export interface SkillRuntime {
  /** As a block's `runtime` names it; another name says that it stands in for that one. */
  readonly name: string;
  run(job: SkillJob, signal: AbortSignal): Promise<SkillOutcome>;
}
