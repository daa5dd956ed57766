/** What is refused about artifacts. */
import { problem, type RailyardError } from '../../src/errors';

/** There is no such artifact, or no such file in it. */
export const noArtifact = (message: string): RailyardError =>
  problem('ROUTE_NOT_FOUND', message, {
    suggestion: 'Read the run: it lists the artifacts of each block with their keys and digests.',
  });

/** The answer with this carries status 416. */
export const noSuchRange = (size: number): RailyardError =>
  problem('INPUT_INVALID', `The artifact has ${size} bytes, and none of the wanted ones.`, {
    suggestion: 'Ask for a range within it, or for all of it.',
    details: { bytes: size },
  });
