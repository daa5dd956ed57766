/**
 * The compiler's door. `compileWorkflow(source, origin)` gives the compiled workflow, its hash and what is to be said of
 * its id; a source with faults gives WORKFLOW_INVALID with every problem (`details.problems`: pointer, message, fix), or
 * WORKFLOW_NOT_JSON with line and column. `origin` says where the source was found, since that decides which ids it may
 * use. Whoever starts a run stores `compiled` under `workflowHash` and looks at the source never again.
 *
 * `builtins()` is the catalog for people and editors; `contractPack`/`embed` give the packs that a factory embeds itself.
 */
export { builtins, workflowSchema, type Builtin, type Builtins } from './builtins';
export { compileWorkflow, type WorkflowCompilation } from './compile';
export { contractPack, embed, type ContractPack } from './contracts';
export { FACTORY_CONTROLS, type FactoryControl } from './factory-contracts';
export { identityOf, suggestId, type WorkflowIdentity, type WorkflowOrigin } from './workflow-ids';
