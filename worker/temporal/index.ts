/** The Temporal server: the one that the settings name, or a dev server that lives and dies with Railyard. */
export { temporalFor, type Temporal, type TemporalGround } from './connect';
export { type ConnectionSettings, type TemporalSettings } from './connection-settings';
export { startDevServer, type DevServer, type DevServerOptions } from './dev-server';
export { type ServerExit } from './guarded-server';
export { keepServer, type KeptServer } from './keep-server';
export { freePort } from './free-port';
export { findTemporalProgram } from './program';
export { type Env, type Ground, type Say, type TemporalProgram, type WayName } from './ways';
