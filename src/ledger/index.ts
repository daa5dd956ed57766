/** The join of factory runs and WorkRail sessions. */
export type * from './facts';
