/** From a checked draft to the compiled workflow, in the order of the locks (section 5), whatever the source's was. */
import { type JsonObject } from '../../canonical';
import {
  byCodeUnits,
  CAPABILITIES,
  COMPILED_WORKFLOW_VERSION,
  type CompiledCondition,
  type CompiledStep,
  type CompiledWorkflow,
  ConditionId,
  ContractRef,
  type EmbeddedContract,
  type FunctionDefinition,
  LoopId,
  StepId,
  type WalkItem,
  WorkflowId,
} from '../model';
import { contractPack, embed } from './contracts';
import {
  contractRefOf,
  type Draft,
  type DraftItem,
  type DraftStep,
  functionsOf,
  loopsOf,
  stepsOf,
} from './draft';
import { featureOf } from './features';
import { refsAddedTo, textOf } from './prompts';
import { usedConditions, warningsOf } from './warnings';

/** The draft must have passed every check. */
export function lower(draft: Draft): CompiledWorkflow {
  const { head, items } = draft;
  const { id = '', name, description, version, agentRole, recommendedPreferences = {} } = head;
  const { autonomy, riskPolicy } = recommendedPreferences;
  return {
    schemaVersion: COMPILED_WORKFLOW_VERSION,
    workflowId: WorkflowId.parse(id),
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(version === undefined ? {} : { version }),
    ...(agentRole === undefined ? {} : { agentRole }),
    ...(autonomy === undefined ? {} : { recommendedAutonomy: autonomy }),
    ...(riskPolicy === undefined ? {} : { recommendedRiskPolicy: riskPolicy }),
    capabilities: [...CAPABILITIES].sort(byCodeUnits).flatMap((capability) => {
      const requirement = head.capabilities?.[capability];
      return requirement ? [{ capability, requirement }] : [];
    }),
    features: featuresOf(draft),
    contracts: contractsOf(draft),
    functions: sortedFunctions(draft),
    walk: items.map(walkItem),
    steps: stepsOf(items).map(({ item }) => stepOf(item, refsAddedTo(draft, item))),
    conditions: conditionsOf(draft),
    loops: loopsOf(items)
      .map(({ loop, body }) => ({
        loopId: LoopId.parse(loop.loopId),
        ...(loop.title === undefined ? {} : { title: loop.title }),
        maxIterations: loop.maxIterations,
        while: { kind: loop.while.kind, conditionId: ConditionId.parse(loop.while.conditionId) },
        body: body.map(walkItem),
      }))
      .sort((a, b) => byCodeUnits(a.loopId, b.loopId)),
    compiledWarnings: warningsOf(draft),
  };
}

const walkItem = (item: DraftItem): WalkItem =>
  item.kind === 'step'
    ? { kind: 'step', stepId: StepId.parse(item.step.id) }
    : { kind: 'loop', loopId: LoopId.parse(item.loop.loopId) };

/** Each once, by id; its configuration as its schema reads it. */
function featuresOf({ features }: Draft): { featureId: string; config: JsonObject }[] {
  const once = new Map(features.map((one) => [one.featureId, one.config]));
  return [...once]
    .map(([featureId, config]) => ({
      featureId,
      // It came out of JSON and has passed the schema of its feature, an object.
      config: config as JsonObject,
    }))
    .sort((a, b) => byCodeUnits(a.featureId, b.featureId));
}

function contractsOf({ items, features }: Draft): EmbeddedContract[] {
  const refs = new Set([
    ...stepsOf(items).flatMap(({ item: { step } }) => contractRefOf(step) ?? []),
    ...features.flatMap(({ featureId }) => featureOf(featureId)?.contracts ?? []),
  ]);
  return [...refs].sort(byCodeUnits).flatMap((ref) => {
    const pack = contractPack(ref);
    return pack ? [embed(pack)] : [];
  });
}

function stepOf({ step, probes, provenance }: DraftStep, added: readonly string[]): CompiledStep {
  const performedBy = step.performedBy ?? 'agent';
  const contractRef = contractRefOf(step);
  const { prompt, promptBlocks, embeddedRefs } = textOf(step, added);
  return {
    stepId: StepId.parse(step.id),
    title: step.title,
    prompt,
    ...(promptBlocks ? { promptBlocks } : {}),
    ...(step.agentRole === undefined ? {} : { agentRole: step.agentRole }),
    requireConfirmation: step.requireConfirmation ?? false,
    performedBy,
    ...(contractRef === undefined ? {} : { outputContract: { contractRef: ContractRef.parse(contractRef) } }),
    ...(step.validationCriteria ? { validationCriteria: step.validationCriteria } : {}),
    ...(step.nonAssumableChoice ? { nonAssumableChoice: step.nonAssumableChoice } : {}),
    ...(probes ? { probes } : {}),
    functionReferences: [...new Set(step.functionReferences ?? [])].sort(byCodeUnits),
    embeddedRefs: [...embeddedRefs],
    provenance,
  };
}

const SCOPES = { step: 0, loop: 1, workflow: 2 } as const;

function sortedFunctions(draft: Draft): FunctionDefinition[] {
  return functionsOf(draft)
    .sort(
      ({ scope: a, definition: one }, { scope: b, definition: two }) =>
        SCOPES[a.kind] - SCOPES[b.kind] ||
        byCodeUnits('id' in a ? a.id : '', 'id' in b ? b.id : '') ||
        byCodeUnits(one.name, two.name),
    )
    .map(({ scope, definition }) => ({
      scope:
        scope.kind === 'workflow'
          ? { kind: 'workflow' as const }
          : scope.kind === 'loop'
            ? { kind: 'loop' as const, loopId: LoopId.parse(scope.id) }
            : { kind: 'step' as const, stepId: StepId.parse(scope.id) },
      ...definition,
    }));
}

/** Those that loops go by. */
function conditionsOf(draft: Draft): CompiledCondition[] {
  const used = usedConditions(draft);
  return draft.conditions
    .filter(({ condition }) => used.has(condition.id))
    .map(({ condition: { id, kind, loopId } }): CompiledCondition => {
      const conditionId = ConditionId.parse(id);
      return kind === 'loop_control'
        ? { conditionId, kind, loopId: LoopId.parse(loopId) }
        : { conditionId, kind };
    })
    .sort((a, b) => byCodeUnits(a.conditionId, b.conditionId));
}
