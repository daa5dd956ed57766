/** The data directory. */
export { writeAtomic, writeOnce, writeWhole } from './atomic-file';
export { claimWorkspace } from './claims';
export { hasCompletion, previousArtifacts, saveCompletion } from './completed-runs';
export { announce, readEndpoint, withdraw } from './endpoint';
export { FactoryShelf } from './factories';
export { homeRoot, openHome, type Home } from './home';
export {
  checkKey,
  createKey,
  keyLine,
  listKeys,
  LOCAL_NAME,
  MAX_KEY_NAME,
  MAX_KEY_ROLE,
  revokeKey,
  type KeyCheck,
  type KeyLine,
  type KeyRecord,
} from './keys';
export { lockHome } from './lock';
export { PACKAGE_ROOT, packageVersion } from './package-root';
export { parseJson } from './parse-json';
export { isSignedBy, sign } from './signature';
export { TakenWebhooks, type WebhookCall } from './taken-webhooks';
export { readWebhookSecret } from './webhook-secret';
export {
  attemptDir,
  forgetMoved,
  hasMoved,
  listRuns,
  noteMoved,
  readRun,
  replaceRun,
  RUN_ID,
  saveRun,
  type RunRecord,
} from './runs';
export {
  deleteSchedule,
  keepRequest,
  readRequest,
  lastGeneration,
  listSchedules,
  listTicks,
  readSchedule,
  SCHEDULE_NAME,
  saveSchedule,
  saveTick,
  takeMoment,
  type ScheduleRecord,
  type TickRecord,
} from './schedules';
