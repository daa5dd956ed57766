/**
 * A gate in one page: what the walk should say and do about one gate of one block, written apart from it, from the
 * rules alone. The factory is `up`, then block `a` with the gate, then `b`, which is never finished: so the run ends by
 * failure or cancel only.
 */
import type { GateRule } from '../../../src/factory/plan';
import type { GateDecision } from '../../../src/factory/run-state';
import { STARTER } from './fixtures';

export interface Rules {
  readonly kind: 'before' | 'after';
  readonly rule: GateRule;
  readonly maxRetries: number;
  readonly overrideAllowed: boolean;
}

export type Ending = 'good' | 'low' | 'error';

/** The digest of the artifact that a person is shown. */
export const shown = (kind: Rules['kind'], attempt: number): string =>
  kind === 'before' ? 'sha256:in' : `sha256:v${attempt}`;

export class GateModel {
  phase: 'upstream' | 'idle' | 'open' | 'running' | 'done' | 'failed' = 'upstream';
  run: 'live' | 'cancelling' | 'cancelled' = 'live';
  /** Has this gate been open, for whichever attempt? */
  private wasOpen = false;
  attempt = 1;
  retries = 0;
  votes: { who: string; role: string }[] = [];
  private overdue = false;
  private missed = false;
  /** Who closed the gate of the current attempt. */
  private winner: string | null = null;
  private passedBefore = false;
  private early: GateDecision[] = [];
  private readonly answers = new Map<string, { decision: string; answer: string }>();

  constructor(readonly rules: Rules) {}

  upstreamEnds(): string {
    if (this.phase !== 'upstream') return 'ignored';
    if (this.run === 'cancelling') {
      this.phase = 'idle';
      this.run = 'cancelled';
    } else this.begin();
    return 'completed';
  }

  ends(attempt: number, ending: Ending): string {
    if (this.phase !== 'running' || attempt !== this.attempt) return 'ignored';
    if (ending !== 'good') this.again(ending === 'low');
    else if (this.rules.kind === 'before') this.phase = 'done';
    else if (this.run === 'live') this.open();
    else this.phase = 'failed';
    if (this.run === 'cancelling') this.run = 'cancelled';
    return 'completed';
  }

  timesOut(attempt: number): string {
    if (this.phase !== 'open' || attempt !== this.attempt || this.overdue) return 'ignored';
    if (this.rules.rule.autoApproveOnTimeout) this.approved('timeout');
    else this.overdue = true;
    return 'timed-out';
  }

  cancelled(): string {
    if (this.run !== 'live') return 'run';
    if (this.phase === 'failed') {
      this.run = 'cancelled';
      return 'run';
    }
    // Block `b` runs as soon as `a` is done.
    this.run = this.phase === 'open' ? 'cancelled' : 'cancelling';
    if (this.phase === 'open') {
      this.winner = 'cancel';
      this.phase = 'failed';
    }
    return 'run';
  }

  decided(d: GateDecision): string {
    const known = this.answers.get(d.id);
    if (known) return known.decision === d.decision ? known.answer : 'IDEMPOTENCY_KEY_REUSED';
    const answer = d.override && d.decision === 'approve' ? this.overridden(d) : this.judged(d);
    if (['kept', 'counted', 'decided'].includes(answer)) {
      this.answers.set(d.id, { decision: d.decision, answer });
    }
    return answer;
  }

  private judged(d: GateDecision): string {
    const { rule, kind } = this.rules;
    if (this.run !== 'cancelled' && this.missed && d.decision === 'approve') return 'OVERRIDE_NOT_POSSIBLE';
    if (this.run === 'cancelled' || this.phase === 'failed') return 'RUN_ENDED';
    if (rule.approvers.length > 0 && !rule.approvers.includes(d.role)) return 'GATE_ROLE_REFUSED';
    if (d.decision === 'approve' && d.approver === STARTER && !rule.selfApproval) return 'GATE_SELF_APPROVAL';
    if (d.attempt !== null && d.attempt !== this.attempt) return 'GATE_ATTEMPT_STALE';
    if (this.winner !== null) return 'GATE_ALREADY_DECIDED';
    if (this.phase !== 'open') {
      if (this.run === 'cancelling') return 'RUN_ENDED';
      if (d.attempt === null && this.wasOpen) return 'GATE_ATTEMPT_STALE';
      this.early = [...this.early.filter(({ approver }) => approver !== d.approver), d];
      return 'kept';
    }
    if (d.digests !== null && d.digests[0] !== shown(kind, this.attempt)) return 'GATE_EVIDENCE_STALE';
    return this.vote(d);
  }

  private overridden(d: GateDecision): string {
    const approvers = this.rules.kind === 'after' ? this.rules.rule.approvers : [];
    const self = this.rules.kind === 'after' && this.rules.rule.selfApproval;
    if (this.run !== 'live') return 'RUN_ENDED';
    if (!this.missed) return 'OVERRIDE_NOT_POSSIBLE';
    if (approvers.length > 0 && !approvers.includes(d.role)) return 'GATE_ROLE_REFUSED';
    if (d.approver === STARTER && !self) return 'GATE_SELF_APPROVAL';
    if (d.attempt !== null && d.attempt !== this.attempt) return 'GATE_ATTEMPT_STALE';
    if (d.justification === '') return 'JUSTIFICATION_REQUIRED';
    if (!this.rules.overrideAllowed) return 'OVERRIDE_NOT_ALLOWED';
    if (d.digests !== null && d.digests[0] !== shown('after', this.attempt)) return 'GATE_EVIDENCE_STALE';
    this.missed = false;
    this.phase = 'done';
    this.winner = d.approver;
    if (this.rules.kind === 'after') this.early = [];
    return 'decided';
  }

  private vote(d: GateDecision): string {
    const { quorum, approvers } = this.rules.rule;
    if (d.decision === 'reject') {
      this.winner = d.approver;
      if (d.action === 'abort') this.phase = 'failed';
      else this.again(false);
      return 'decided';
    }
    if (this.votes.some(({ who }) => who === d.approver)) return 'GATE_VOTE_REPEATED';
    this.votes.push({ who: d.approver, role: d.role });
    const enough =
      quorum === 'any' ||
      (quorum === 'all'
        ? approvers.every((role) => this.votes.some((vote) => vote.role === role))
        : this.votes.length >= quorum);
    if (!enough) return 'counted';
    this.approved(d.approver);
    return 'decided';
  }

  private approved(by: string): void {
    this.winner = by;
    this.passedBefore = true;
    this.phase = this.rules.kind === 'before' ? 'running' : 'done';
  }

  /** One attempt came to nothing. */
  private again(missed: boolean): void {
    if (this.retries >= this.rules.maxRetries || this.run !== 'live') {
      this.phase = 'failed';
      this.missed = missed;
      return;
    }
    this.retries += 1;
    this.attempt += 1;
    this.winner = null;
    this.votes = [];
    this.begin();
  }

  private begin(): void {
    if (this.rules.kind === 'after') this.phase = 'running';
    else if (this.passedBefore) this.approved('standing');
    else this.open();
  }

  private open(): void {
    this.phase = 'open';
    this.wasOpen = true;
    this.votes = [];
    this.overdue = false;
    const { attempt } = this;
    const waiting = this.early;
    this.early = [];
    const right = shown(this.rules.kind, attempt);
    for (const d of waiting) {
      const fits = (d.attempt ?? attempt) === attempt && (d.digests?.[0] ?? right) === right;
      // The first that decides leaves nothing for the others.
      if (fits && this.vote(d) === 'decided') return;
    }
  }
}
