import { stopTemporal } from './temporal';

export default stopTemporal;
