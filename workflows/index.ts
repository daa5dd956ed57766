/** Every workflow of a store: the entry of the bundle. */
export { factoryRun } from './factory-run';
export { scheduledRun } from './scheduled-run';
