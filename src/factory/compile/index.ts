/** The factory compiler. */
export { compileTemplate } from './compile';
export {
  type Compilation,
  type CompiledArtifact,
  type CompiledBlock,
  type CompiledFactory,
  type CompiledMetric,
  type CompiledPublish,
} from './compiled-factory';
export { cutPlan, MAX_PLAN_BYTES } from './cut-plan';
export { graph, type GraphFormat } from './graph';
export { findJsonFault, placeOf } from './json-fault';
export { parseJson, type JsonRefusal } from './parse';
export { fillObject, placeholdersIn } from './placeholders';
export {
  requiredParameters,
  resolveBlock,
  resolveConfig,
  resolveValue,
  type BuiltIns,
  type ResolvedConfig,
} from './resolve';
export { type TemplateProblem } from '../schema';
