/** The configuration of the service. */
export { effective, type EffectiveSetting } from './effective';
export { readConfig, type ConfigOptions, type LoadedConfig, type Source } from './read-config';
export { configurationPage } from './reference';
export { SETTINGS, type Setting } from './setting-list';
export { LOG_LEVELS, type Config } from './settings';
