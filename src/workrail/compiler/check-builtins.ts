/** Contracts, features and capabilities: closed sets that workflows refer to and never extend (locks, section 9). */
import { canonicalJson, pointerOf } from '../../canonical';
import { at, problemsOf, suggest, type TemplateProblem } from '../../factory/schema';
import { contractPack, contractPacks } from './contracts';
import { contractRefOf, type Draft, type DraftFeature, type DraftStep, stepsOf } from './draft';
import { featureOf, features } from './features';

export function checkBuiltins(draft: Draft): TemplateProblem[] {
  return [
    ...stepsOf(draft.items).flatMap(({ item }) => [...checkContract(item), ...checkProbe(draft, item)]),
    ...draft.features.flatMap((feature) => checkFeature(draft, feature)),
    ...checkTwice(draft),
  ];
}

function checkContract({ path, step }: DraftStep): TemplateProblem[] {
  const { outputContract, output } = step;
  if (outputContract && output && outputContract.contractRef !== output.contractRef) {
    return [at([...path, 'output'], 'The step names two contracts.', 'Keep "outputContract" only.')];
  }
  const contractRef = contractRefOf(step);
  if (contractRef === undefined) return [];
  const where = [...path, outputContract ? 'outputContract' : 'output', 'contractRef'];
  const pack = contractPack(contractRef);
  const open = contractPacks()
    .filter(({ askedBy }) => askedBy === 'steps')
    .map((one) => one.contractRef);
  if (!pack) return [at(where, `There is no contract "${contractRef}".`, suggest(contractRef, open, ''))];
  if (pack.askedBy === 'steps') return [];
  return [at(where, `"${contractRef}" is for a factory's own facts.`, suggest('', open, ''))];
}

function checkProbe({ head }: Draft, { path, probes }: DraftStep): TemplateProblem[] {
  if (probes === undefined || head.capabilities?.[probes] !== 'disabled') return [];
  return [at(path, `The capability "${probes}" is disabled and probed.`, 'Remove the probe, or enable it.')];
}

function checkFeature({ head, whole }: Draft, { path, featureId, config }: DraftFeature): TemplateProblem[] {
  const feature = featureOf(featureId);
  if (!feature) {
    const known = features().map((one) => one.featureId);
    return [at(path, `There is no feature "${featureId}".`, suggest(featureId, known, ''))];
  }
  const parsed = feature.config.safeParse(config);
  if (!parsed.success) {
    const base = pointerOf([...path, 'config']);
    return problemsOf(parsed.error.issues, feature.config, config).map((one) => ({
      ...one,
      pointer: base + one.pointer,
    }));
  }
  const { needs } = feature;
  const declared = needs === undefined ? undefined : head.capabilities?.[needs];
  if (needs === undefined || !whole || (declared !== undefined && declared !== 'disabled')) return [];
  const fix = `Add "capabilities": {"${needs}": "preferred"} or "required".`;
  return [at(path, `"${featureId}" needs the capability "${needs}".`, fix)];
}

/** The same feature twice is one feature; with two configurations it is a contradiction. */
function checkTwice({ features: all }: Draft): TemplateProblem[] {
  const first = new Map<string, string>();
  return all.flatMap(({ path, featureId, config }) => {
    const text = canonicalJson(config).unwrapOr('');
    const before = first.get(featureId);
    if (before === undefined) first.set(featureId, text);
    return before === undefined || before === text
      ? []
      : [at(path, `"${featureId}" is there twice, with different configurations.`, 'Keep one of them.')];
  });
}
