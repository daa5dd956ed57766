/** The data directory. */
export { writeAtomic, writeOnce, writeWhole } from './atomic-file';
export { claimWorkspace } from './claims';
export { announce, readEndpoint, withdraw } from './endpoint';
export { FactoryShelf } from './factories';
export { homeRoot, openHome, type Home } from './home';
export { checkKey, createKey, listKeys, revokeKey, type KeyCheck, type KeyRecord } from './keys';
export { lockHome } from './lock';
export { PACKAGE_ROOT } from './package-root';
export { parseJson } from './parse-json';
export { isSignedBy, sign } from './signature';
export { attemptDir, listRuns, readRun, RUN_ID, saveRun, type RunRecord } from './runs';
