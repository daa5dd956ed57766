/**
 * Which run somebody most likely means who comes without a token (locks, section 2.3): strict tiers, no scores, the same
 * answer for the same store. Only healthy sessions are to be passed in.
 */
import {
  byCodeUnits,
  MAX_RESUME_CANDIDATES,
  MAX_SNIPPET_BYTES,
  TRUNCATION_MARKER,
  truncateUtf8,
  type EventIndex,
  type NodeId,
  type ResumeMatch,
  type RunId,
  type SessionId,
} from '../model';

/** What is known of who asks. */
export interface ResumeQuery {
  readonly gitHeadSha?: string | undefined;
  readonly gitBranch?: string | undefined;
  readonly text?: string | undefined;
}

/** A run's preferred tip, with what it can be found by. */
export interface Resumable {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly tipNodeId: NodeId;
  readonly lastActivity: EventIndex;
  readonly gitHeadSha: string | null;
  readonly gitBranch: string | null;
  /** The tip's current recap notes. */
  readonly recap: string | null;
  readonly workflowId: string;
  readonly workflowName: string | null;
}

export interface ResumeCandidate {
  readonly sessionId: SessionId;
  readonly runId: RunId;
  readonly tipNodeId: NodeId;
  readonly lastActivity: EventIndex;
  readonly workflowId: string;
  /** Of the recap; null: there is none. */
  readonly snippet: string | null;
  /** Every tier that matched, the strongest first. */
  readonly whyMatched: readonly [ResumeMatch, ...ResumeMatch[]];
}

/** The tiers, strongest first; what none of them matches is there for its recency. */
const TIERS = [
  'matched_head_sha',
  'matched_branch',
  'matched_notes',
  'matched_workflow_id',
  'recency_fallback',
] as const;

/** The best candidates, best first. */
export function rankForResume(query: ResumeQuery, runs: readonly Resumable[]): readonly ResumeCandidate[] {
  const wanted = textTokens(query.text ?? '');
  return runs
    .map((run) => ({ run, whyMatched: matches(query, wanted, run) }))
    .sort(
      (a, b) =>
        TIERS.indexOf(a.whyMatched[0]) - TIERS.indexOf(b.whyMatched[0]) ||
        b.run.lastActivity - a.run.lastActivity ||
        byCodeUnits(a.run.sessionId, b.run.sessionId) ||
        byCodeUnits(a.run.runId, b.run.runId),
    )
    .slice(0, MAX_RESUME_CANDIDATES)
    .map(({ run: { sessionId, runId, tipNodeId, lastActivity, workflowId, recap }, whyMatched }) => ({
      ...{ sessionId, runId, tipNodeId, lastActivity, workflowId, whyMatched },
      snippet: recap === null ? null : truncateUtf8(recap, MAX_SNIPPET_BYTES),
    }));
}

/** The tokens of a text: NFKC, lower case whatever the locale, runs of `[a-z0-9_-]`. A cut text's marker is not of it. */
export function textTokens(text: string): ReadonlySet<string> {
  const whole = text.replaceAll(TRUNCATION_MARKER, '\n\n');
  return new Set(
    whole
      .normalize('NFKC')
      .toLowerCase()
      .match(/[a-z0-9_-]+/g) ?? [],
  );
}

function matches(
  { gitHeadSha, gitBranch }: ResumeQuery,
  wanted: ReadonlySet<string>,
  run: Resumable,
): ResumeCandidate['whyMatched'] {
  const isMatched: Readonly<Record<ResumeMatch, boolean>> = {
    matched_head_sha: isSaid(gitHeadSha) && run.gitHeadSha === gitHeadSha,
    matched_branch: isSaid(gitBranch) && (run.gitBranch?.startsWith(gitBranch) ?? false),
    matched_notes: holdsAll(run.recap ?? '', wanted),
    matched_workflow_id: holdsAll(`${run.workflowId} ${run.workflowName ?? ''}`, wanted),
    recency_fallback: false,
  };
  const [first, ...rest] = TIERS.filter((tier) => isMatched[tier]);
  return first === undefined ? ['recency_fallback'] : [first, ...rest];
}

const isSaid = (text: string | undefined): text is string => text !== undefined && text !== '';

function holdsAll(text: string, wanted: ReadonlySet<string>): boolean {
  if (wanted.size === 0) return false;
  const tokens = textTokens(text);
  return [...wanted].every((token) => tokens.has(token));
}
