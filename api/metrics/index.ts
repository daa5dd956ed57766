/** Metrics for Prometheus. */
export { Census } from './census';
export { Metrics, type MetricsOptions } from './metrics';
export { metricsRoutes } from './routes';
