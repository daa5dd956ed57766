/** Budgets, each with the section of the locks it comes from. Texts are measured in UTF-8 bytes, never in characters. */

/** Section 1, node_output_appended. */
export const MAX_NOTES_BYTES = 4096;
/** Section 1, BlockerReport. */
export const MAX_BLOCKERS = 10;
/** Section 1, BlockerReport. */
export const MAX_BLOCKER_MESSAGE_BYTES = 512;
/** Section 1, BlockerReport. */
export const MAX_BLOCKER_FIX_BYTES = 1024;
/** Section 1, decision_trace_appended. */
export const MAX_TRACE_ENTRIES = 25;
/** Section 1, decision_trace_appended. */
export const MAX_TRACE_SUMMARY_BYTES = 512;
/** Section 1, decision_trace_appended: the summaries of one event together. */
export const MAX_TRACE_TOTAL_BYTES = 8192;
/** Section 1, decision_trace_appended. */
export const MAX_TRACE_REFS = 10;
/** Section 1, idempotency via dedupeKey. */
export const MAX_DEDUPE_KEY_LENGTH = 256;
/** Section 1, observation_recorded: `short_string`. */
export const MAX_SHORT_STRING_LENGTH = 80;
/** Section 1, observation_recorded: `path`. */
export const MAX_PATH_LENGTH = 512;
/** The locks say "bounded text" for summaries of gaps and divergences; this is our bound. */
export const MAX_SUMMARY_BYTES = 1024;
/** The locks bound evidence by kind only; this is our bound on how much. */
export const MAX_EVIDENCE_REFS = 10;
/** Section 16.3.1: of the canonical JSON of a context. */
export const MAX_CONTEXT_BYTES = 256 * 1024;
/** Section 2.3. */
export const MAX_RESUME_CANDIDATES = 5;
/** Section 2.3. */
export const MAX_SNIPPET_BYTES = 2048;
/** Section 18.3: requirements shown under a prompt. */
export const MAX_SHOWN_REQUIREMENTS = 5;
