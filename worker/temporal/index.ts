/** The Temporal server: the one TEMPORAL_ADDRESS names, or a dev server that lives and dies with Railyard. */
export { temporalFor, type Temporal } from './connect';
export { type ConnectionSettings } from './connection-settings';
export { startDevServer, type DevServer, type DevServerOptions } from './dev-server';
export { type ServerExit } from './guarded-server';
export { keepServer, type KeptServer } from './keep-server';
export { findTemporalProgram } from './program';
export { type Env, type Ground, type Say, type TemporalProgram, type WayName } from './ways';
