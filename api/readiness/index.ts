/** Health of the service. */
export { dataIsWritable, temporalAnswers } from './checks';
export { Readiness, type Check, type Missing } from './readiness';
export { healthRoutes } from './routes';
