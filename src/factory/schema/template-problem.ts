import { pointerOf } from '../../canonical';

/** One thing wrong with a template: where, what, and what to do about it. */
export interface TemplateProblem {
  /** RFC 6901 pointer into the template. */
  readonly pointer: string;
  readonly message: string;
  readonly fix: string;
}

/** A problem at a path of keys and indexes. */
export function at(path: readonly PropertyKey[], message: string, fix: string): TemplateProblem {
  return { pointer: pointerOf(path), message, fix };
}
