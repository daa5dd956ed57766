/** A workflow between its source and its compiled form: read, expanded, not yet checked. */
import { type Capability, type Provenance } from '../model';
import {
  type AuthoredCondition,
  type AuthoredFunction,
  type AuthoredStep,
  type LoopHead,
  type WorkflowHead,
} from './authored';

/** Where something stands in the source. What a template or a feature brought stands where it was asked for. */
export type Path = readonly PropertyKey[];

export interface DraftStep {
  readonly kind: 'step';
  readonly path: Path;
  readonly provenance: Provenance;
  readonly step: AuthoredStep;
  readonly probes?: Capability;
}

export interface DraftLoop {
  readonly kind: 'loop';
  readonly path: Path;
  readonly loop: Omit<LoopHead, 'body'>;
  readonly body: readonly DraftItem[];
}

export type DraftItem = DraftStep | DraftLoop;

export interface DraftCondition {
  readonly path: Path;
  readonly condition: AuthoredCondition;
}

export interface DraftFeature {
  readonly path: Path;
  readonly featureId: string;
  readonly config: unknown;
}

export interface Draft {
  /** What of the head could be read. */
  readonly head: Partial<Omit<WorkflowHead, 'steps'>>;
  readonly items: readonly DraftItem[];
  readonly conditions: readonly DraftCondition[];
  readonly features: readonly DraftFeature[];
  /** Could all of it be read? If not, what seems to be missing may be in a part that could not. */
  readonly whole: boolean;
}

/** Functions with where they were defined and who sees them. */
export interface DraftFunction {
  readonly path: Path;
  readonly scope: { kind: 'step' | 'loop'; id: string } | { kind: 'workflow' };
  readonly definition: AuthoredFunction;
}

/** Every step, in the order of the walk, with the loops around it, outermost first. */
export function stepsOf(
  items: readonly DraftItem[],
  around: readonly DraftLoop[] = [],
): { readonly item: DraftStep; readonly around: readonly DraftLoop[] }[] {
  return items.flatMap((item) =>
    item.kind === 'step' ? [{ item, around }] : stepsOf(item.body, [...around, item]),
  );
}

/** Every loop, outer ones first. */
export const loopsOf = (items: readonly DraftItem[]): DraftLoop[] =>
  items.flatMap((item) => (item.kind === 'loop' ? [item, ...loopsOf(item.body)] : []));

/** Every sequence: the walk itself, and the body of each loop. */
export const sequencesOf = (
  items: readonly DraftItem[],
): { readonly items: readonly DraftItem[]; readonly of: DraftLoop | null }[] => [
  { items, of: null },
  ...loopsOf(items).map((loop) => ({ items: loop.body, of: loop })),
];

/** Every function definition: the workflow's, the loops', the steps'. */
export function functionsOf({ head, items }: Draft): DraftFunction[] {
  const listed = (
    path: Path,
    scope: DraftFunction['scope'],
    definitions: readonly AuthoredFunction[] | undefined,
  ): DraftFunction[] =>
    (definitions ?? []).map((definition, i) => ({
      path: [...path, 'functionDefinitions', i],
      scope,
      definition,
    }));
  return [
    ...listed([], { kind: 'workflow' }, head.functionDefinitions),
    ...loopsOf(items).flatMap(({ path, loop }) =>
      listed(path, { kind: 'loop', id: loop.loopId }, loop.functionDefinitions),
    ),
    ...stepsOf(items).flatMap(({ item: { path, step } }) =>
      listed(path, { kind: 'step', id: step.id }, step.functionDefinitions),
    ),
  ];
}

/** The contract a step asks for, however it is written. */
export const contractRefOf = ({ outputContract, output }: AuthoredStep): string | undefined =>
  (outputContract ?? output)?.contractRef;
