/** What a workflow gets without having written it: probes of required capabilities first, then the steps of features. */
import { byCodeUnits, CAPABILITIES, type Capability } from '../model';
import { CAPABILITY_PROBE } from '../engine';
import { type Draft, type DraftItem, type DraftStep } from './draft';
import { featureOf, type Injection } from './features';
import { draftItem } from './read';
import { templateOf } from './templates';

/** Ids of injected steps begin with this; authored ones may not. */
export const INJECTED_PREFIX = 'wr-';

/** The draft with everything in its place; applying the order of the locks, never that of the source. */
export function inject(draft: Draft): Draft {
  const probes = requiredOf(draft)
    .filter((capability) => !leadingProbes(draft.items).includes(capability))
    .flatMap(probeOf);
  const injections = featureInjections(draft);
  const at = (anchor: Injection['anchor']): DraftStep[] =>
    injections.filter((one) => one.anchor === anchor).map(({ step }) => step);
  return { ...draft, items: [...probes, ...at('start'), ...draft.items, ...at('end')] };
}

const requiredOf = ({ head }: Draft): Capability[] =>
  CAPABILITIES.filter((one) => head.capabilities?.[one] === 'required').sort(byCodeUnits);

/** Capabilities that the author probes before anything else. */
function leadingProbes(items: readonly DraftItem[]): Capability[] {
  const end = items.findIndex((item) => item.kind === 'loop' || item.probes === undefined);
  return items
    .slice(0, end === -1 ? items.length : end)
    .flatMap((item) => (item.kind === 'step' && item.probes ? [item.probes] : []));
}

function probeOf(capability: Capability): DraftItem[] {
  const expansion = templateOf(CAPABILITY_PROBE)?.expand(`${INJECTED_PREFIX}probe-${capability}`, {
    capability,
  });
  return (expansion?.items ?? []).map((item) =>
    draftItem(item, ['capabilities', capability], CAPABILITY_PROBE),
  );
}

/** By (feature, place in the feature): each feature once, in the order of ids. */
function featureInjections({ features }: Draft): { anchor: Injection['anchor']; step: DraftStep }[] {
  const once = new Map(features.map((feature) => [feature.featureId, feature]));
  return [...once.values()]
    .sort((a, b) => byCodeUnits(a.featureId, b.featureId))
    .flatMap(({ featureId, config, path }) =>
      (featureOf(featureId)?.inject(config) ?? []).map(({ anchor, step }) => ({
        anchor,
        step: {
          kind: 'step' as const,
          path,
          step,
          provenance: { source: 'feature_injected' as const, originId: featureId },
        },
      })),
    );
}
