/** From JSON to a draft. Each part is read by itself, so that what is wrong with one does not hide the others. */
import { type z } from 'zod';
import { type JsonObject, type JsonValue, pointerOf } from '../../canonical';
import { at, problemsOf, suggest, type TemplateProblem } from '../../factory/schema';
import { type Provenance } from '../model';
import { AuthoredTemplateCall, LoopHead, StepHead, WorkflowHead } from './authored';
import { type Draft, type DraftCondition, type DraftFeature, type DraftItem, type Path } from './draft';
import { readCriteria } from './read-criteria';
import { type ExpandedItem, templateOf, templates } from './templates';

const MAX_LOOP_DEPTH = 8;
const AUTHORED: Provenance = { source: 'authored' };

export interface Reading {
  readonly draft: Draft;
  readonly problems: readonly TemplateProblem[];
}

/** What is being gathered on the way. */
interface Gathering {
  readonly problems: TemplateProblem[];
  /** Conditions that templates bring along. */
  readonly conditions: DraftCondition[];
}

export function readWorkflow(value: JsonValue): Reading {
  if (!isObject(value)) {
    const problem = at([], 'A workflow is a JSON object.', 'Write {"id": …, "name": …, "steps": […]}.');
    return { draft: emptyDraft, problems: [problem] };
  }
  const gathered: Gathering = { problems: [], conditions: [] };
  const parsed = WorkflowHead.safeParse(value);
  if (!parsed.success) gathered.problems.push(...problemsOf(parsed.error.issues, WorkflowHead, value));
  const head: Draft['head'] = parsed.success ? parsed.data : salvageHead(value);
  const steps = Array.isArray(value.steps) ? value.steps : [];
  const items = readItems(steps, ['steps'], 0, gathered);
  return {
    problems: gathered.problems,
    draft: {
      head,
      items,
      conditions: [
        ...(head.conditions ?? []).map((condition, i) => ({ path: ['conditions', i], condition })),
        ...gathered.conditions,
      ],
      features: (head.features ?? []).map((feature, i) => featureAt(feature, i)),
      whole: gathered.problems.length === 0,
    },
  };
}

const emptyDraft: Draft = { head: {}, items: [], conditions: [], features: [], whole: false };

function featureAt(feature: NonNullable<WorkflowHead['features']>[number], i: number): DraftFeature {
  const { id, config } = typeof feature === 'string' ? { id: feature, config: undefined } : feature;
  return { path: ['features', i], featureId: id, config: config ?? {} };
}

/** Those keys of a head that fit by themselves. */
function salvageHead(value: JsonObject): Draft['head'] {
  const shape: Readonly<Record<string, z.ZodType>> = WorkflowHead.shape;
  const good = Object.entries(value).filter(([key, one]) => shape[key]?.safeParse(one).success);
  return Object.fromEntries(good);
}

function readItems(values: readonly JsonValue[], path: Path, depth: number, into: Gathering): DraftItem[] {
  return values.flatMap((value, i) => readItem(value, [...path, i], depth, into));
}

function readItem(value: JsonValue, path: Path, depth: number, into: Gathering): DraftItem[] {
  const type = isObject(value) ? (value.type ?? 'step') : 'step';
  switch (type) {
    case 'step':
      return readStep(value, path, into);
    case 'loop':
      return readLoop(value, path, depth, into);
    case 'template_call':
      return readCall(value, path, into);
    default: {
      const fix = suggest(JSON.stringify(type), ['step', 'loop', 'template_call'], '');
      into.problems.push(at([...path, 'type'], `${JSON.stringify(type)} is no type of step.`, fix));
      return [];
    }
  }
}

function readStep(value: JsonValue, path: Path, into: Gathering): DraftItem[] {
  const head = parse(StepHead, value, path, into);
  const given = isObject(value) ? value.validationCriteria : undefined;
  const criteria =
    given === undefined ? null : readCriteria(given, [...path, 'validationCriteria'], into.problems);
  if (!head) return [];
  const { validationCriteria: _, ...rest } = head;
  const step = criteria ? { ...rest, validationCriteria: criteria } : rest;
  return [{ kind: 'step', path, provenance: AUTHORED, step }];
}

function readLoop(value: JsonValue, path: Path, depth: number, into: Gathering): DraftItem[] {
  if (depth >= MAX_LOOP_DEPTH) {
    into.problems.push(
      at(path, `Loops are nested more than ${MAX_LOOP_DEPTH} deep.`, 'Make them fewer or flatter.'),
    );
    return [];
  }
  const head = parse(LoopHead, value, path, into);
  const inside = isObject(value) && Array.isArray(value.body) ? value.body : [];
  const body = readItems(inside, [...path, 'body'], depth + 1, into);
  if (!head) return body;
  const { body: _, ...loop } = head;
  return [{ kind: 'loop', path, loop, body }];
}

function readCall(value: JsonValue, path: Path, into: Gathering): DraftItem[] {
  const call = parse(AuthoredTemplateCall, value, path, into);
  if (!call) return [];
  const template = templateOf(call.templateId);
  if (!template) {
    const known = templates().map(({ templateId }) => templateId);
    const fix = suggest(call.templateId, known, '');
    into.problems.push(at([...path, 'templateId'], `There is no template "${call.templateId}".`, fix));
    return [];
  }
  const params = call.params ?? {};
  parse(template.params, params, [...path, 'params'], into);
  const expansion = template.expand(call.id, params);
  if (!expansion) return [];
  into.conditions.push(...expansion.conditions.map((condition) => ({ path, condition })));
  return expansion.items.map((item) => draftItem(item, path, call.templateId));
}

/** What a template made, as a draft; all of it stands where the template was called. */
export function draftItem(item: ExpandedItem, path: Path, templateId: string): DraftItem {
  if (item.kind === 'loop') {
    return { ...item, path, body: item.body.map((inner) => draftItem(inner, path, templateId)) };
  }
  return { ...item, path, provenance: { source: 'template_injected', originId: templateId } };
}

/** What fits a schema; else null, and what is wrong with it is noted. */
function parse<S extends z.ZodType>(
  schema: S,
  value: unknown,
  path: Path,
  into: Gathering,
): z.infer<S> | null {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const base = pointerOf(path);
  const found = problemsOf(parsed.error.issues, schema, value);
  into.problems.push(...found.map((one) => ({ ...one, pointer: base + one.pointer })));
  return null;
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
