/** Webhooks: blocks that are set off by a signed call. */
export { webhookRoutes } from './routes';
export { type Webhook } from './webhooks';
