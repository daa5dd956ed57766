/** What an agent hands in, step by step, while it looks for a bug with `wr.bug_investigation`. */

/** The output of one step. */
export interface StoryOutput {
  readonly notesMarkdown?: string;
  readonly artifacts?: readonly unknown[];
}

/** How often a step has been done so far in this run. */
export type Round = number;

export const BUG_WORKFLOW = 'wr.bug_investigation';
export const BUG_TASK = { task: 'The monthly export loses its last row.', repository: 'acme/reports' };

/** The two rounds of experiments after which the cause is proven. */
const EXPERIMENTS = [
  `Prediction: with H1 the file lacks its last row whatever its size; with H2 only files above 64 KB do; with H3 only those whose
last row ends without a newline.
Ran: \`export --rows 10\`, \`--rows 10000\`, and both with a trailing newline.
Result: rows are lost in 10 of 10 tries with --rows 10 and a last row without newline, and in 0 of 10 with one. The size plays no part.
H2 is refuted. H1 and H3 both explain what is left.`,
  `Prediction: with H1 the writer is closed before its buffer is flushed, so a sleep before close mends it; with H3 the
splitter never emits what follows the last newline, so a sleep changes nothing.
Ran: the same export with a sleep of one second before close in src/export/writer.ts:41.
Result: the row is still lost in 10 of 10 tries; with the last newline added in src/export/split.ts:18 in 0 of 10.
H1 is refuted. H3 predicted both.`,
];

const NOTES: Readonly<Record<string, string>> = {
  understand: `Symptom: the CSV of the monthly export has one row fewer than the table it was made from; the last one is missing.
Expected: as many rows as the table has, in the same order.
Seen by: two customers since version 4.2; a third, on the same version, does not have it.
Environment: Linux, Node 20, exports of 10 to 40,000 rows.
Unknown: whether it depends on the size, on the content of the last row, or on the way the export was started.`,
  reproduce: `Ran: \`export --table orders --rows 10 > out.csv\` and counted with \`wc -l\`.
It happens in 10 of 10 tries with the fixture orders-a, and in 0 of 10 with orders-b.
The fixtures differ in their last row: that of orders-a has no newline at its end.
The smallest case: a table of two rows, the second without a newline. One row is written.`,
  hypothesise: `H1: the writer is closed before what it buffers is flushed (src/export/writer.ts:41). Predicts a loss whatever the last row is
like, and none after a pause before close.
H2: the chunk that is cut at 64 KB drops its rest (src/export/chunks.ts:77). Predicts a loss in large files alone.
H3: the splitter emits a row when it meets a newline, and forgets what follows the last one (src/export/split.ts:18). Predicts a
loss exactly where the last row ends without a newline, whatever the size.
The test that tells most apart: small and large tables, each with and without a newline at the end.`,
  report: `Cause: the splitter emits a row only when it meets a newline, so the rest of the text after the last newline is dropped
(src/export/split.ts:18).
Proof: the loss can be switched on and off by the last newline, in 10 of 10 tries each; neither size nor timing changes it.
Refuted: H1 (a pause before close changes nothing), H2 (ten rows are lost as surely as ten thousand).
Fix: emit the rest in the end handler of the splitter; callers that add a newline of their own get an empty row unless the rest
is checked for being empty. A test with a table whose last row has no newline would have caught it.
Confidence: high. A loss in a file that ends with a newline would change that.`,
};

/** What is handed in for a step, the first time or a later one. */
export function storyOutput(stepId: string, round: Round): StoryOutput {
  if (stepId === 'experiment') return { notesMarkdown: EXPERIMENTS[round % EXPERIMENTS.length] ?? '' };
  if (stepId === 'judge') return { artifacts: [decision(round)] };
  const notesMarkdown = NOTES[stepId];
  if (notesMarkdown === undefined) throw new Error(`The story has no step "${stepId}".`);
  return { notesMarkdown };
}

const decision = (round: Round): unknown => ({
  kind: 'wr.loop_control',
  loopId: 'hypotheses',
  ...(round === 0
    ? { decision: 'continue', summary: 'H1 and H3 both explain it; a pause before close tells them apart.' }
    : { decision: 'stop', summary: 'H3 predicted both results and can be switched on and off.' }),
});
