/** The version of this program. */
export { packageVersion as version } from '../src/home';
