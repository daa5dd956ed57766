/** An audit as a person reads it: what happened, in order, and then what stands open or was noted. */
import pc from 'picocolors';
import { type AuditedAttempt, type AuditedDecision, type AuditedGate, type RunAudit } from '../src/ledger';

const DIGEST_SHOWN = 'sha256:'.length + 12;

/** A line of the story, and where it belongs. */
interface Told {
  readonly at: string;
  readonly text: string;
  readonly more: readonly string[];
}

/** The whole audit, line by line. */
export function auditLines(audit: RunAudit): string[] {
  const { run, factory, started, status, reason, ended_at: ended, session } = audit;
  return [
    `${pc.bold(run)}  ${status}${reason === null ? '' : `: ${plain(reason)}`}`,
    `factory ${factory.id} (${short(factory.hash)}), started by ${plain(started.by)} at ${started.at}${ended === null ? '' : `, ended at ${ended}`}`,
    `session ${session.id}, ${session.events} events`,
    '',
    ...story(audit).flatMap(({ at, text, more }) => [
      `${at}  ${text}`,
      ...more.map((line) => `${INDENT}${line}`),
    ]),
    ...section('Gaps', audit.gaps.map(gapLine)),
    ...section(
      'Divergences',
      audit.divergences.map(
        ({ at, block, reason: why, summary }) => `${at}  ${on(block)}${why}: ${plain(summary)}`,
      ),
    ),
    ...section(
      'Capabilities',
      audit.capabilities.map(
        ({ at, block, capability, status: is, provenance }) =>
          `${at}  ${on(block)}${capability} is ${is} (${provenance})`,
      ),
    ),
    ...section(
      'Warnings',
      audit.warnings.map(({ at, block, text }) => `${at}  ${on(block)}${plain(text)}`),
    ),
  ];
}

const INDENT = ' '.repeat(26);

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', pc.bold(title), ...lines];
}

/** Everything with a time, in order; what is of one moment stands as the walk did it. */
function story(audit: RunAudit): Told[] {
  const told: Told[] = [
    ...audit.drivers.map(({ at, epoch, by, workflow, deadlines_began_anew: anew }) => ({
      at,
      text:
        epoch === 1
          ? `started by ${plain(by)}`
          : `${pc.cyan('taken over')} by ${plain(by)}: epoch ${epoch}, workflow ${plain(workflow)}${anew ? '; open deadlines began anew' : ''}`,
      more: [],
    })),
    ...audit.attempts.flatMap(attemptLines),
    ...audit.decisions.map(decisionLine),
    ...audit.gates.flatMap(gateLines),
    ...audit.controls.map(({ at, what, by, block, detail, result }) => ({
      at,
      text: `${what}${by === null ? '' : ` by ${plain(by)}`}${block === null ? '' : ` of ${block}`}: ${result}`,
      more: Object.keys(detail).length === 0 ? [] : [plain(JSON.stringify(detail))],
    })),
  ];
  // Sorting keeps the order of what is of one moment.
  return told.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
}

function attemptLines({ block, attempt, started_at: at, inputs, feedback, end }: AuditedAttempt): Told[] {
  const name = `${block}, attempt ${attempt}`;
  const began: Told = {
    at,
    text: `${name} begins${feedback > 0 ? `, told of ${feedback} rejection${feedback > 1 ? 's' : ''}` : ''}`,
    more: inputs.map((one) => `on ${one.block}/${one.key} ${short(one.digest)}`),
  };
  if (end === null) return [began];
  const missed = end.result === 'retry' || end.result === 'failed';
  const how = missed
    ? `${pc.red('missed')} (${end.failure ?? 'error'}): ${plain(end.error ?? '')}; ${end.result === 'retry' ? 'tried again' : 'no more tries'}`
    : `${end.outcome}: ${end.result}`;
  const standIn = end.stand_in
    ? [`performed by the stand-in ${end.stand_in.ran} instead of ${end.stand_in.asked}`]
    : [];
  const made = end.artifacts.map(({ key, path, digest }) => `made ${key} at ${path} ${short(digest)}`);
  return [began, { at: end.at, text: `${name} ${how}`, more: [...standIn, ...made] }];
}

function decisionLine(decision: AuditedDecision): Told {
  const { at, person, role, said, block, gate, attempt, action, result, notes, feedback, justification } =
    decision;
  const where = `${block}${gate === null ? '' : ` (gate ${gate})`}${attempt === null ? '' : `, attempt ${attempt}`}`;
  const digests = decision.shown ?? [];
  return {
    at,
    text: `${pc.yellow(said)} of ${where} by ${plain(person)} (${plain(role)})${action === null ? '' : `, ${action}`}: ${result}`,
    more: [
      ...worded('notes', notes),
      ...worded('feedback', feedback),
      ...worded('justification', justification),
      ...digests.map((digest) => `was shown ${short(digest)}`),
    ],
  };
}

function gateLines({ block, gate, attempt, opened_at: at, deadline, overdue, outcome }: AuditedGate): Told[] {
  const name = `gate ${gate} ${block}, attempt ${attempt}`;
  const until = deadline === null ? '' : `, until ${deadline}`;
  const opened: Told = {
    at,
    text: `${name} opens${until}${overdue && !outcome ? `; ${pc.red('overdue')}` : ''}${outcome ? '' : `; ${pc.yellow('open')}`}`,
    more: [],
  };
  if (!outcome) return [opened];
  const { decision, via, by, role, evidence } = outcome;
  const who = role === '' ? plain(by) : `${plain(by)} (${plain(role)})`;
  return [
    opened,
    {
      at: outcome.at,
      text: `${name} ${decision} via ${via}, by ${who}`,
      more: evidence.map((line) => `on ${plain(line)}`),
    },
  ];
}

function gapLine({ at, block, severity, reason, summary, resolved }: RunAudit['gaps'][number]): string {
  const end = resolved
    ? `${pc.green('resolved')} at ${resolved.at}: ${plain(resolved.summary)}`
    : pc.red('open');
  return `${at}  ${on(block)}${severity}, ${reason}: ${plain(summary)} → ${end}`;
}

const on = (block: string | null): string => (block === null ? '' : `${block}: `);
const worded = (name: string, text: string): string[] =>
  text.trim() === '' ? [] : [`${name}: ${plain(text)}`];
const short = (digest: string): string => `${digest.slice(0, DIGEST_SHOWN)}…`;

/** On one line, without what a terminal would act on. */
const plain = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trim();
