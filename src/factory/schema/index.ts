/** The schemas of blocks and factory templates: zod is the one source, the JSON Schemas in docs/schemas follow it. */
export { Block } from './block';
export { problemsOf } from './issues';
export { schemaFiles } from './json-schema';
export { nearest, suggest } from './nearest';
export { Template, type HumanGate, type Threshold } from './template';
export { at, type TemplateProblem } from './template-problem';
