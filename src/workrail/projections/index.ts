/** Readings of a session, pure and incremental: each is fed one event at a time (locks, sections 2 to 2.3). */
export * from './advances';
export * from './capabilities';
export * from './gaps';
export * from './lineage';
export * from './node-outputs';
export * from './observations';
export * from './preferences';
export * from './preferred-tip';
export * from './project';
export * from './recap';
export * from './resume-ranking';
export * from './run-context';
export * from './run-dag';
export * from './run-status';
export * from './session-summary';
export * from './session-view';
