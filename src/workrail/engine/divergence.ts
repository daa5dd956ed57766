/** Divergences that an agent discloses: read only where the workflow has embedded their contract. */
import { z } from 'zod';
import { DIVERGENCE_REASONS, StepId } from '../model';
import { satisfying } from './contract-check';
import { WORKFLOW_DIVERGENCE } from './well-known';
import { type WorkflowIndex } from './workflow-index';

const Divergence = z.object({
  reason: z.enum(DIVERGENCE_REASONS),
  summary: z.string().min(1),
  relatedStepId: StepId.optional(),
});
/** A divergence before it has an id. */
export type Divergence = z.infer<typeof Divergence>;

export function divergencesIn({ contracts }: WorkflowIndex, artifacts: readonly unknown[]): Divergence[] {
  const contract = contracts.get(WORKFLOW_DIVERGENCE);
  if (!contract) return [];
  return satisfying(contract, artifacts).flatMap((artifact) => Divergence.safeParse(artifact).data ?? []);
}
