/** What the service does, for programs and for people. */
export { openApi } from './document';
export { openApiRoutes } from './routes';
export { holdAnswers } from './held-answers';
