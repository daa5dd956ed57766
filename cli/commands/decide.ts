/** `railyard approve` and `railyard reject`: decide a gate. */
import { type Command } from 'commander';
import { err, ok, type Result } from 'neverthrow';
import { type Decided } from '../../api/factory-runs';
import { type RunView } from '../../api/run-view';
import { problem, type RailyardError } from '../../src/errors';
import { fail, say, sayJson } from '../output';
import { findService, type ServiceClient } from '../service-client';

interface DecideOptions {
  readonly as?: string;
  readonly role?: string;
  readonly notes?: string;
  readonly gate?: string;
  readonly attempt?: string;
  readonly override?: true;
  readonly justification?: string;
  readonly abort?: true;
  readonly feedback?: string;
  readonly json?: true;
}

export function addDecisions(program: Command): void {
  gateCommand(program, 'approve', 'approve a gate')
    .option('--override', 'pass a block that failed its threshold; needs --justification')
    .option('--justification <text>', 'why the missed threshold is acceptable')
    .action(decideWith('approve'));
  gateCommand(program, 'reject', 'reject a gate: the block runs again, with your feedback')
    .option('--feedback <text>', 'what the next attempt should do better')
    .option('--abort', 'end the block instead of running it again')
    .action(decideWith('reject'));
}

function gateCommand(program: Command, name: string, description: string): Command {
  return program
    .command(name)
    .description(description)
    .argument('<run>', 'the id of the run')
    .argument('<block>', 'the block whose gate it is')
    .option('--as <person>', 'who decides (default: you)')
    .option('--role <role>', "in which role; the gate's only role where it has one")
    .option('--notes <text>', 'a note for the record')
    .option('--gate <side>', 'which gate of the block is meant: before or after')
    .option('--attempt <number>', 'the attempt you looked at; refused if another one is current')
    .option('--json', 'print JSON');
}

function decideWith(what: 'approve' | 'reject') {
  return async (run: string, block: string, options: DecideOptions): Promise<void> => {
    const decided = await decide(what, run, block, options);
    if (decided.isErr()) fail(decided.error, options.json === true);
    else if (options.json) sayJson(decided.value);
    else say(inWords(decided.value));
  };
}

async function decide(
  what: 'approve' | 'reject',
  run: string,
  block: string,
  options: DecideOptions,
): Promise<Result<Decided, RailyardError>> {
  const service = await findService(process.env);
  if (service.isErr()) return err(service.error);
  const role = options.role === undefined ? await onlyRole(service.value, run, block) : ok(options.role);
  if (role.isErr()) return err(role.error);
  const path = `/factory-run/${encodeURIComponent(run)}/gate/${encodeURIComponent(block)}/${what}`;
  return service.value.post<Decided>(path, {
    approver: service.value.speaker(options.as),
    role: role.value,
    ...(options.notes === undefined ? {} : { notes: options.notes }),
    ...(options.gate === undefined ? {} : { gate: options.gate }),
    ...(options.attempt === undefined ? {} : { attempt: Number(options.attempt) }),
    ...(options.override ? { override: true } : {}),
    ...(options.justification === undefined ? {} : { justification: options.justification }),
    ...(options.abort ? { action: 'abort' } : {}),
    ...(options.feedback === undefined ? {} : { feedback: options.feedback }),
  });
}

/** The role a person must mean: the gate's, where it names one. */
async function onlyRole(
  service: ServiceClient,
  run: string,
  block: string,
): Promise<Result<string, RailyardError>> {
  const view = await service.get<RunView>(`/factory-run/${encodeURIComponent(run)}`);
  return view.andThen(({ gates }) => {
    const roles = gates.findLast((gate) => gate.block === block)?.approvers ?? [];
    const [only] = roles;
    if (only !== undefined && roles.length === 1) return ok(only);
    return err(
      problem('INPUT_INVALID', `It is not clear in which role you decide for block "${block}".`, {
        suggestion: `Say it with --role${roles.length > 0 ? `, one of ${roles.join(', ')}` : ''}.`,
      }),
    );
  });
}

function inWords(decided: Decided): string {
  switch (decided.kind) {
    case 'decided':
      return decided.via === 'override'
        ? `overridden: block ${decided.block} is done`
        : `${decided.decision}: the gate ${decided.gate} block ${decided.block}, attempt ${decided.attempt}`;
    case 'counted':
      return `counted: ${decided.have} of ${decided.need} approvals for block ${decided.block}`;
    case 'kept':
      return `kept: the gate ${decided.gate} block ${decided.block} is not open yet; it counts when it opens`;
    case 'stored':
      return `stored: no worker is there; it counts when one is back`;
    case 'run':
    case 'completed':
    case 'timed-out':
    case 'trigger':
    case 'retrying':
    case 'ignored':
      return decided.kind;
  }
}
