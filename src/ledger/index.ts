/** The join of factory runs and WorkRail sessions. */
export type * from './facts';
export type * from './run-activities';
export { isLost } from './lost';
