/** What is refused about artifacts. */
import { problem, type RailyardError } from '../../src/errors';

/** There is no such artifact, or no such file in it. */
export const noArtifact = (message: string): RailyardError => problem('ARTIFACT_NOT_FOUND', message);

/** None of the wanted bytes is there. */
export const noSuchRange = (size: number): RailyardError =>
  problem('RANGE_NOT_SATISFIABLE', `The artifact has ${size} bytes, and none of the wanted ones.`, {
    details: { bytes: size },
  });
