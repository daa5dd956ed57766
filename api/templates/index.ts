/** Templates: list, read, validate, draw. */
export { templateRoutes } from './routes';
