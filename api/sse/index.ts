/** Live events: what happens to one run, and to all. */
export { eventRoutes } from './routes';
