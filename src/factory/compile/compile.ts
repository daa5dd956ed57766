/**
 * The compiler, a pure pipeline: text → JSON → schema → envelopes lowered → edges and checks → the compiled factory,
 * its hash, and the plan the walk follows. Every problem is reported at once.
 */
import { err, type Result } from 'neverthrow';
import { digestOf, type JsonValue } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import { problemsOf, Template, type TemplateProblem } from '../schema';
import { checkArtifacts } from './artifacts';
import { checkBlockFields } from './block-fields';
import { type Compilation } from './compiled-factory';
import { checkConfig, checkModuleMapping, checkPlaceholders } from './config-checks';
import { cutPlan } from './cut-plan';
import { checkCycles } from './cycles';
import { checkDependencies } from './dependencies';
import { draftOf, type Draft } from './draft';
import { checkGates } from './gates';
import { checkGroups } from './groups';
import { checkIds } from './ids';
import { checkEnvelopes } from './lower-envelope';
import { normalise } from './normalise';
import { parseJson } from './parse';
import { salvage } from './salvage';
import { checkThresholds } from './thresholds';
import { checkTriggers } from './triggers';

const CHECKS: readonly ((draft: Draft) => TemplateProblem[])[] = [
  checkIds,
  checkConfig,
  checkEnvelopes,
  checkBlockFields,
  checkArtifacts,
  checkDependencies,
  checkCycles,
  checkGroups,
  checkGates,
  checkThresholds,
  checkModuleMapping,
  checkPlaceholders,
  checkTriggers,
];

/** Compile a template, given as JSON text or as a value. TEMPLATE_INVALID carries `details.problems`. */
export function compileTemplate(source: unknown): Result<Compilation, RailyardError> {
  return parseJson(source)
    .mapErr(({ place, reason, details }) =>
      problem('TEMPLATE_NOT_JSON', `The template is not JSON: ${place}: ${reason}.`, { details }),
    )
    .andThen(compileValue);
}

function compileValue(value: JsonValue): Result<Compilation, RailyardError> {
  const parsed = Template.safeParse(value);
  if (!parsed.success) {
    const { issues } = parsed.error;
    const rest = salvage(value, issues);
    return err(invalid([...problemsOf(issues, Template, value), ...(rest ? check(rest) : [])]));
  }
  const problems = check(parsed.data);
  if (problems.length > 0) return err(invalid(problems));

  const compiled = normalise(parsed.data);
  return digestOf(compiled)
    .mapErr(({ pointer, reason }) =>
      problem('INTERNAL', `A compiled factory is not JSON at ${pointer}: ${reason}.`),
    )
    .andThen((factoryHash) =>
      cutPlan(compiled, factoryHash)
        .map((plan) => ({ compiled, factoryHash, plan }))
        .mapErr((tooLarge) => invalid([tooLarge])),
    );
}

function check(template: Template): TemplateProblem[] {
  const draft = draftOf(template);
  return CHECKS.flatMap((one) => one(draft));
}

function invalid(problems: readonly TemplateProblem[]): RailyardError {
  const count = problems.length === 1 ? 'one problem' : `${problems.length} problems`;
  return problem('TEMPLATE_INVALID', `The template has ${count}.`, { details: { problems } });
}
