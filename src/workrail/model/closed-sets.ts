/** The closed sets of the locks (section 16.3 and those it points to). A new member is a change of the format. */

export const EVENT_KINDS = [
  'session_created',
  'observation_recorded',
  'run_started',
  'node_created',
  'edge_created',
  'advance_recorded',
  'node_output_appended',
  'preferences_changed',
  'capability_observed',
  'gap_recorded',
  'divergence_recorded',
  'decision_trace_appended',
  // Section 18.2.
  'context_set',
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

export const MANIFEST_KINDS = ['segment_closed', 'snapshot_pinned'] as const;
export const NODE_KINDS = ['step', 'checkpoint', 'blocked_attempt'] as const;
export type NodeKind = (typeof NODE_KINDS)[number];
export const EDGE_KINDS = ['acked_step', 'checkpoint'] as const;
export type EdgeKind = (typeof EDGE_KINDS)[number];
export const EDGE_CAUSES = [
  'idempotent_replay',
  'intentional_fork',
  'non_tip_advance',
  'checkpoint_created',
] as const;
export type EdgeCause = (typeof EDGE_CAUSES)[number];
export const OUTPUT_CHANNELS = ['recap', 'artifact'] as const;
export type OutputChannel = (typeof OUTPUT_CHANNELS)[number];

export const AUTONOMIES = ['guided', 'full_auto_stop_on_user_deps', 'full_auto_never_stop'] as const;
/** In rising order of what happens without asking (section 5). */
export type Autonomy = (typeof AUTONOMIES)[number];
export const RISK_POLICIES = ['conservative', 'balanced', 'aggressive'] as const;
/** In rising order of risk (section 5). */
export type RiskPolicy = (typeof RISK_POLICIES)[number];
export const PREFERENCE_SOURCES = ['user', 'workflow_recommendation', 'system'] as const;

export const CAPABILITIES = ['delegation', 'web_browsing'] as const;
export type Capability = (typeof CAPABILITIES)[number];
export const CAPABILITY_STATUSES = ['unknown', 'available', 'unavailable'] as const;
export type CapabilityStatus = (typeof CAPABILITY_STATUSES)[number];
export const CAPABILITY_FAILURES = ['tool_missing', 'tool_error', 'policy_blocked', 'unknown'] as const;

export const GAP_SEVERITIES = ['info', 'warning', 'critical'] as const;
export type GapSeverity = (typeof GAP_SEVERITIES)[number];
export const USER_ONLY_DEPENDENCIES = [
  'needs_user_secret_or_token',
  'needs_user_account_access',
  'needs_user_artifact',
  'needs_user_choice',
  'needs_user_approval',
  'needs_user_environment_action',
] as const;
export type UserOnlyDependency = (typeof USER_ONLY_DEPENDENCIES)[number];
export const NON_ASSUMABLE_CHOICES = [
  'preference_tradeoff',
  'scope_boundary',
  'irreversible_action',
  'external_side_effect',
  'policy_or_compliance',
] as const;
export type NonAssumableChoice = (typeof NON_ASSUMABLE_CHOICES)[number];
export const CONTRACT_VIOLATIONS = ['missing_required_output', 'invalid_required_output'] as const;
export const CAPABILITY_GAPS = ['required_capability_unavailable', 'required_capability_unknown'] as const;
export const UNEXPECTED_GAPS = ['invariant_violation', 'storage_corruption_detected'] as const;

export const BLOCKER_CODES = [
  'USER_ONLY_DEPENDENCY',
  'MISSING_REQUIRED_OUTPUT',
  'INVALID_REQUIRED_OUTPUT',
  'REQUIRED_CAPABILITY_UNKNOWN',
  'REQUIRED_CAPABILITY_UNAVAILABLE',
  'INVARIANT_VIOLATION',
  'STORAGE_CORRUPTION_DETECTED',
] as const;
export type BlockerCode = (typeof BLOCKER_CODES)[number];

export const DIVERGENCE_REASONS = [
  'missing_user_context',
  'capability_unavailable',
  'efficiency_skip',
  'safety_stop',
  'policy_constraint',
] as const;
export type DivergenceReason = (typeof DIVERGENCE_REASONS)[number];
export const TRACE_KINDS = [
  'selected_next_step',
  'evaluated_condition',
  'entered_loop',
  'exited_loop',
  'detected_non_tip_advance',
] as const;
export const OBSERVATION_KEYS = ['git_branch', 'git_head_sha', 'repo_root_hash', 'repo_root'] as const;
export type ObservationKey = (typeof OBSERVATION_KEYS)[number];
export const CONFIDENCES = ['low', 'med', 'high'] as const;
export const WORKFLOW_SOURCES = ['bundled', 'user', 'project', 'remote', 'plugin'] as const;
export type WorkflowSource = (typeof WORKFLOW_SOURCES)[number];
export const CONTEXT_SOURCES = ['initial', 'agent_delta', 'merge'] as const;

export const SESSION_HEALTHS = ['healthy', 'corrupt_tail', 'corrupt_head', 'unknown_version'] as const;
export type SessionHealth = (typeof SESSION_HEALTHS)[number];
export const RUN_STATUSES = ['in_progress', 'blocked', 'complete', 'complete_with_gaps'] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];
export const NEXT_INTENTS = [
  'perform_pending_then_continue',
  'await_user_confirmation',
  'rehydrate_only',
  'complete',
] as const;
export type NextIntent = (typeof NEXT_INTENTS)[number];
export const RESUME_MATCHES = [
  'matched_head_sha',
  'matched_branch',
  'matched_notes',
  'matched_workflow_id',
  'recency_fallback',
] as const;
export type ResumeMatch = (typeof RESUME_MATCHES)[number];
