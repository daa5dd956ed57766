/** From zod's issues to our problems: a pointer, what is wrong in plain words, and a fix. */
import { z } from 'zod';
import { suggest } from './nearest';
import { at, type TemplateProblem } from './template-problem';

type Issue = z.core.$ZodIssue;
type Path = readonly PropertyKey[];

/** Every issue as problems, in zod's order. `schema` and `value` are what zod was given. */
export function problemsOf(
  issues: readonly Issue[],
  schema: z.core.$ZodType,
  value: unknown,
): TemplateProblem[] {
  return issues.flatMap((issue) => translate(issue, [], schema, value));
}

function translate(issue: Issue, base: Path, schema: z.core.$ZodType, value: unknown): TemplateProblem[] {
  const path = [...base, ...issue.path];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => unknownKey(key, path, schema));
    case 'invalid_union': {
      const branch = closestBranch(issue.errors);
      if (branch) return branch.flatMap((inner) => translate(inner, path, schema, value));
      return [at(path, 'The value has none of the allowed forms.', issue.errors.map(expectations).join(' '))];
    }
    case 'invalid_type':
      return [wrongType(issue.expected, path, valueAt(value, path))];
    case 'invalid_value': {
      const found = valueAt(value, path);
      const choice = issue.values.map(String);
      const fix = suggest(String(found), choice, 'Correct the value.');
      if (found === undefined) return [missing(path, fix)];
      return [at(path, `${show(found)} is not one of ${choice.join(', ')}.`, fix)];
    }
    case 'custom': {
      const fix: unknown = issue.params?.fix;
      return [at(path, issue.message, typeof fix === 'string' ? fix : 'Correct the value.')];
    }
    default:
      return [at(path, `${issue.message}.`, 'Correct the value.')];
  }
}

function unknownKey(key: string, path: Path, schema: z.core.$ZodType): TemplateProblem {
  const where = [...path, key];
  if (key === 'state' && path[0] === 'blocks' && path.length === 2) {
    const message = '"state" is managed by the engine and is not set in a template.';
    return at(where, message, 'Remove "state".');
  }
  const fix = suggest(key, keysAt(schema, path), 'Remove it.');
  return at(where, `"${key}" is not a known key here.`, fix);
}

function wrongType(expected: string, path: Path, found: unknown): TemplateProblem {
  const wanted = expected === 'record' ? 'object' : expected;
  const article = /^[aio]/.test(wanted) ? 'an' : 'a';
  if (found === undefined) return missing(path, `Add "${lastOf(path)}", ${article} ${wanted}.`);
  return at(path, `Expected ${article} ${wanted}, found ${show(found)}.`, `Make it ${article} ${wanted}.`);
}

function missing(path: Path, fix: string): TemplateProblem {
  return at(path, `The key "${lastOf(path)}" is missing.`, fix);
}

/** Of a union, the one branch that failed inside the value, not at its very type. */
function closestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] | null {
  const inside = branches.filter((issues) => !issues.some(failsOutright));
  return inside.length === 1 ? (inside[0] ?? null) : null;
}

const failsOutright = (issue: Issue): boolean =>
  issue.path.length === 0 && (issue.code === 'invalid_type' || issue.code === 'invalid_value');

const expectations = (issues: readonly Issue[]): string =>
  issues.map((issue) => `${issue.message}.`).join(' ');

const lastOf = (path: Path): string => String(path.at(-1) ?? '');

/** A short rendering of a value, for messages. */
function show(value: unknown): string {
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  const text = JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** What stands at a path, or undefined. */
function valueAt(value: unknown, path: Path): unknown {
  let here = value;
  for (const step of path) {
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, step)) return undefined;
    here = Reflect.get(here, step);
  }
  return here;
}

/** The keys a schema knows at a path; none where it is free. */
function keysAt(schema: z.core.$ZodType, path: Path): string[] {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    return keysAt(schema.unwrap(), path);
  if (schema instanceof z.ZodUnion) return schema.options.flatMap((option) => keysAt(option, path));
  const [step, ...rest] = path;
  if (schema instanceof z.ZodObject) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
    if (step === undefined) return Object.keys(shape);
    const child = shape[String(step)];
    return child ? keysAt(child, rest) : [];
  }
  if (step === undefined) return [];
  if (schema instanceof z.ZodArray) return keysAt(schema.element, rest);
  if (schema instanceof z.ZodRecord) return keysAt(schema.valueType, rest);
  return [];
}
