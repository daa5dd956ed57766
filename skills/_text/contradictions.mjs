import { reference } from './evidence.mjs';

/**
 * Says of a piece of evidence whether it is one side of a contradiction that the gap report has open. What the expert
 * says in two ways must not go out in either before the expert has been asked.
 */
export function contradicted(gapReport) {
  const open = gapReport.gaps.filter((gap) => gap.kind === 'contradiction').map((gap) => gap.found);
  return (entry) => open.some((found) => found.includes(reference(entry)));
}
