/** The gate inbox: what waits for whom since when, with the evidence to decide on. */
export { inboxRoutes } from './routes';
export { type InboxPage } from './inbox';
export { type WaitingGate } from './waiting-gate';
