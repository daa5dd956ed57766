/** Runs that move house, over HTTP: audit, export, fence, import. */
export { movingRoutes, type MovingOptions } from './routes';
