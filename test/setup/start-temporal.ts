import { startTemporal } from './temporal';

export default startTemporal;
