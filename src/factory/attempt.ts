/**
 * What passes between the workflow and whoever executes an attempt. Types only: the workflow imports this file.
 * Everything here is JSON and travels through Temporal; artifacts go by digest.
 */
import type { JsonObject } from '../canonical';
import type { ArtifactRef, AttemptRecord, Feedback, FiredTrigger } from './run-state';

/** One artifact a block depends on, and the block that wrote it. */
export interface AttemptArtifact {
  readonly block: string;
  readonly artifact: ArtifactRef;
}

/** "Run attempt N of block B." */
export interface AttemptInput {
  readonly run: string;
  readonly block: string;
  /** From 1. With run and block it names the attempt for good: the same attempt has one outcome. */
  readonly attempt: number;
  readonly factoryHash: string;
  readonly inputs: readonly AttemptArtifact[];
  /** What people said when they rejected earlier attempts. */
  readonly feedback: readonly Feedback[];
  /** How the attempt before went; null for the first. */
  readonly previous: AttemptRecord | null;
  /** What set the block off; absent: its dependencies alone. */
  readonly trigger?: Pick<FiredTrigger, 'type' | 'payload'>;
}

/** What an attempt needs to know of its run, as it was started. */
export interface RunRecord {
  readonly run: string;
  readonly factoryHash: string;
  readonly parameters: JsonObject;
  /** What `{{workspace_path}}` stands for where no parameter has that name; absolute. */
  readonly workspacePath: string;
  readonly startedBy: string;
}
