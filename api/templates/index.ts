/** Templates: list, read, validate, draw. */
export { templateRoutes } from './routes';
export { factsOf } from './template-shelf';
