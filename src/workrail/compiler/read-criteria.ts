/** Validation criteria out of a source, with problems that say what is wrong in them. */
import { z } from 'zod';
import { at, problemsOf, type TemplateProblem } from '../../factory/schema';
import { compilePattern } from '../engine';
import { type ValidationCriteria } from '../model';
import { type Path } from './draft';

const MAX_NESTING = 8;
const MAX_RULE_TEXT = 512;

const message = { message: z.string().min(1).max(MAX_RULE_TEXT).optional() };
const RULES = {
  contains: z.strictObject({
    type: z.literal('contains'),
    value: z.string().min(1).max(MAX_RULE_TEXT),
    ...message,
  }),
  regex: z.strictObject({
    type: z.literal('regex'),
    pattern: z.string().min(1),
    flags: z
      .string()
      .regex(/^[imsu]*$/, 'Flags are i, m, s and u')
      .optional(),
    ...message,
  }),
  length: z.strictObject({
    type: z.literal('length'),
    min: z.int().nonnegative().optional(),
    max: z.int().nonnegative().optional(),
    ...message,
  }),
} as const;
const FORMS = 'Write {"type": "contains" | "regex" | "length", …}, or {"and": […]}.';

/** The criteria, or null with the problems. */
export function readCriteria(
  value: unknown,
  path: Path,
  problems: TemplateProblem[],
  depth = 0,
): ValidationCriteria | null {
  const wrong = (where: Path, text: string, fix: string): null => {
    problems.push(at(where, text, fix));
    return null;
  };
  if (typeof value !== 'object' || value === null) return wrong(path, 'Criteria are an object.', FORMS);
  if (depth > MAX_NESTING)
    return wrong(path, 'The criteria are nested too deep.', 'Put the rules into one "and".');
  if ('and' in value) {
    const extra = Object.keys(value).find((key) => key !== 'and');
    if (extra !== undefined)
      return wrong([...path, extra], `"${extra}" cannot stand beside "and".`, 'Remove it.');
    if (!Array.isArray(value.and) || value.and.length === 0) {
      return wrong([...path, 'and'], 'The "and" needs a list of rules.', FORMS);
    }
    const rules = value.and.map((one: unknown, i) =>
      readCriteria(one, [...path, 'and', i], problems, depth + 1),
    );
    return rules.includes(null) ? null : { and: rules.filter((one) => one !== null) };
  }
  const type = 'type' in value ? value.type : undefined;
  if (type !== 'contains' && type !== 'regex' && type !== 'length') {
    return wrong([...path, 'type'], 'The type of a rule is contains, regex or length.', FORMS);
  }
  const parsed = RULES[type].safeParse(value);
  if (!parsed.success) {
    for (const { pointer, ...one } of problemsOf(parsed.error.issues, RULES[type], value)) {
      problems.push({ ...one, pointer: at(path, '', '').pointer + pointer });
    }
    return null;
  }
  return checkRule(parsed.data, path, wrong);
}

function checkRule(
  rule: z.infer<(typeof RULES)[keyof typeof RULES]>,
  path: Path,
  wrong: (path: Path, text: string, fix: string) => null,
): ValidationCriteria | null {
  if (rule.type === 'regex') {
    const pattern = compilePattern(rule.pattern, rule.flags);
    if (pattern.isErr()) {
      const fix = 'Patterns have the syntax of RE2: no lookaround, no references back, repeats up to 1000.';
      return wrong([...path, 'pattern'], `The pattern cannot be used: ${pattern.error}.`, fix);
    }
  }
  if (rule.type === 'length') {
    if (rule.min === undefined && rule.max === undefined) {
      return wrong(path, 'A length needs a minimum or a maximum.', 'Add "min" or "max".');
    }
    if ((rule.min ?? 0) > (rule.max ?? Number.POSITIVE_INFINITY)) {
      return wrong([...path, 'min'], 'The minimum is above the maximum.', 'Swap them.');
    }
  }
  return rule;
}
