import { counted } from '../_text/report.mjs';

/** What raises each dimension of the test; said to the person who runs the factory. */
const REMEDIES = {
  lookup: 'the clone mixes up its sources: add material where one source says what another only hints at',
  recognition:
    'strangers sound familiar to the clone: add sources in which the expert talks about the trade itself',
  vocabulary: 'unseen sentences use words the clone has never met: add more of what the expert has written',
  voice:
    "the examples do not sound like the rest: add talks, letters or recordings in the expert's own voice",
  framework: 'the method is not whole: have the expert define each part and put it in order',
  modules: 'some modules are thin: ask the questions below',
};

/** In the order of what they are worth: what must be mended, what the score lost most on, what the expert can answer. */
export function nextSteps({ results, gapReport, framework, leadMagnet }) {
  const steps = [];
  const { violations } = results.governance;
  if (violations.length > 0) {
    steps.push(
      `Mend ${counted(violations.length, 'governance violation')} before anybody talks to the clone; the first: ${violations[0].rule}, ${violations[0].what}.`,
    );
  }
  const contradictions = gapReport.gaps.filter((gap) => gap.kind === 'contradiction');
  if (contradictions.length > 0) {
    steps.push(
      `Settle ${counted(contradictions.length, 'contradiction')} with the expert: ${contradictions.map((gap) => gap.about).join(', ')}` +
        (leadMagnet.held_back.length > 0
          ? ` (${counted(leadMagnet.held_back.length, 'item')} of the guide held back for it).`
          : '.'),
    );
  }
  if (framework.phases.length === 0)
    steps.push('Ask the expert for a method: two of the three paths agree on none.');
  const weak = gapReport.modules.filter((row) => row.state !== 'strong').map((row) => row.module);
  if (weak.length > 0) steps.push(`Gather material for ${weak.join(', ')}.`);
  const lost = results.dimensions
    .map((entry) => ({ ...entry, lost: Math.round(100 * (entry.weight - entry.points)) / 100 }))
    .sort((a, b) => b.lost - a.lost)[0];
  if (lost.lost > 0) {
    steps.push(
      `Most points were lost in ${lost.dimension} (${lost.lost} of ${lost.weight}): ${REMEDIES[lost.dimension] ?? 'see the audit sheet'}.`,
    );
  }
  return steps.length > 0 ? steps : ['Nothing is open.'];
}
