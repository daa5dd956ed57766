import { err, ok, type Result } from 'neverthrow';
import { findNotJson } from '../../src/canonical';
import { problem, type RailyardError } from '../../src/errors';
import { problemsOf, type TemplateProblem } from '../../src/factory/schema';
import { TOOLS, type ToolInput, type ToolName } from '../../src/workrail/protocol';

/** Read the arguments of a tool by its schema. VALIDATION_ERROR names every problem, with its place and what to do. */
export function readInput<N extends ToolName>(name: N, args: unknown): Result<ToolInput<N>, RailyardError> {
  const value = args ?? {};
  // First: what is too deep or not text cannot be hashed, and no schema says so.
  const fault = findNotJson(value);
  if (fault) {
    const fix = 'Send JSON of whole Unicode characters that is not nested deeply.';
    return err(invalid(name, [{ pointer: fault.pointer, message: `This is ${fault.reason}.`, fix }]));
  }
  const schema = TOOLS[name].input;
  const parsed = schema.safeParse(value);
  // The schema of this very tool has read it; the compiler does not follow a table by its key.
  if (parsed.success) return ok(parsed.data as ToolInput<N>);
  return err(invalid(name, problemsOf(parsed.error.issues, schema, value)));
}

function invalid(name: ToolName, problems: readonly TemplateProblem[]): RailyardError {
  const told = problems.map(({ pointer, message }) => (pointer === '' ? message : `${pointer}: ${message}`));
  return problem('VALIDATION_ERROR', `The arguments of ${name} are not valid. ${told.join(' ')}`, {
    suggestion: `${problems.map(({ fix }) => fix).join(' ')} Then call ${name} again.`,
    details: { problems },
  });
}
