import { type Result } from 'neverthrow';
import { type RailyardError } from '../../errors';
import { type CompiledWorkflow, type WorkflowHash, type WorkflowSource } from '../model';
import { type WorkflowIdentity } from '../compiler';
import { type ToolInput, type ToolName, type ToolOutput } from './tools';

/** A workflow that can be started, compiled. */
export interface KnownWorkflow {
  readonly compiled: CompiledWorkflow;
  readonly workflowHash: WorkflowHash;
  readonly identity: WorkflowIdentity;
  readonly sourceKind: WorkflowSource;
  /** What `run_started` keeps of where it was found: a path below its source's folder. */
  readonly sourceRef: string;
}

/** A workflow that is there and cannot be used. */
export interface UnusableWorkflow {
  readonly source: string;
  readonly problem: RailyardError;
}

/** Where workflows come from. */
export interface WorkflowCatalog {
  list(): Promise<
    Result<{ known: readonly KnownWorkflow[]; unusable: readonly UnusableWorkflow[] }, RailyardError>
  >;
  /** By id or alias; null: there is none. */
  find(workflowId: string): Promise<Result<KnownWorkflow | null, RailyardError>>;
}

/** Whether a person answered a step that asks for confirmation; a client without a way to ask them cannot tell. */
export type AskPerson = (question: {
  readonly title: string;
  readonly text: string;
}) => Promise<'yes' | 'no' | 'cannot_ask'>;

/** The use cases behind the six tools. Input has been read by the tool's schema; no call throws for what a caller did. */
export type Protocol = {
  readonly [N in ToolName]: (
    input: ToolInput<N>,
    asker?: AskPerson,
  ) => Promise<Result<ToolOutput<N>, RailyardError>>;
};
