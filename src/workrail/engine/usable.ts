import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../errors';
import { type CompiledWorkflow } from '../model';
import { findWorkflowFault } from './workflow-fault';
import { indexOf, type WorkflowIndex } from './workflow-index';

const judged = new WeakMap<WorkflowIndex, string | null>();

/** The index of a workflow that can be walked; one from a bundle that cannot is corrupt. */
export function usable(workflow: CompiledWorkflow): Result<WorkflowIndex, RailyardError> {
  const index = indexOf(workflow);
  const known = judged.get(index);
  const fault = known === undefined ? findWorkflowFault(index) : known;
  judged.set(index, fault);
  if (fault === null) return ok(index);
  const message = `The pinned workflow "${workflow.workflowId}" cannot be walked: ${fault}.`;
  return err(problem('STORE_WORKFLOW_CORRUPT', message));
}
