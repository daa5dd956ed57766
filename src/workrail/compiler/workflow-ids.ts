/** Ids of workflows: `namespace.name`, who may use which, and what a legacy id should become (locks, section 7). */
import { sha256Hex } from '../../canonical';
import { at, type TemplateProblem } from '../../factory/schema';
import { type WorkflowSource } from '../model';

/** Where a workflow comes from, as far as its id is concerned. */
export interface WorkflowOrigin {
  readonly sourceKind: WorkflowSource;
  /** Loading a legacy id is possible; saving one is not. Loading where nothing is said. */
  readonly intent?: 'load' | 'save';
  /** A stable name of the source (a path or URL): what tells two equal suggestions apart. */
  readonly sourceKey?: string;
  /** Is an id in use already? */
  readonly isTaken?: (id: string) => boolean;
  /** Of remote and plugin sources, where somebody has said so. */
  readonly remoteNamespace?: 'repo' | 'team';
}

/** What discovery says about an id. */
export interface WorkflowIdentity {
  readonly workflowId: string;
  readonly idStatus: 'namespaced' | 'legacy';
  readonly sourceKind: WorkflowSource;
  /** Of a legacy id: what it should become. */
  readonly suggestedId?: string;
}

const NAMESPACED = /^[a-z][a-z0-9_-]*\.[a-z][a-z0-9_-]*$/;
const LEGACY = /^[A-Za-z0-9][A-Za-z0-9_-]*$/;
/** `factory.*` are the factories themselves. */
const FACTORY = 'factory.';
const BUNDLED = 'wr.';
const SUFFIX_DIGITS = 4;

export function identityOf(id: string, origin: WorkflowOrigin): WorkflowIdentity {
  const { sourceKind } = origin;
  return id.includes('.')
    ? { workflowId: id, idStatus: 'namespaced', sourceKind }
    : { workflowId: id, idStatus: 'legacy', sourceKind, suggestedId: suggestId(id, origin) };
}

/** What is wrong with an id for where it comes from. */
export function checkWorkflowId(id: string, origin: WorkflowOrigin): TemplateProblem[] {
  const bundled = origin.sourceKind === 'bundled';
  const use = `Use "${suggestId(id.replace(/^.*\./, ''), origin)}".`;
  if (id.startsWith(BUNDLED) && !bundled) {
    return [at(['id'], `"${id}": the namespace wr is reserved for bundled workflows.`, use)];
  }
  if (id.startsWith(FACTORY)) {
    return [at(['id'], `"${id}": the namespace factory is reserved for factories.`, use)];
  }
  if (NAMESPACED.test(id)) {
    return bundled && !id.startsWith(BUNDLED)
      ? [at(['id'], `"${id}": bundled workflows are in the namespace wr.`, use)]
      : [];
  }
  if (!LEGACY.test(id)) {
    const message = `"${id}" is not namespace.name with exactly one dot, each part like [a-z][a-z0-9_-]*.`;
    return [at(['id'], message, use)];
  }
  if (bundled || origin.intent === 'save') {
    return [at(['id'], `"${id}" has no namespace; new workflows need one.`, use)];
  }
  return [];
}

/** What a legacy id should become: by its source, never by the clock. */
export function suggestId(legacyId: string, origin: WorkflowOrigin): string {
  const name = legacyId
    .toLowerCase()
    .replaceAll('-', '_')
    .replace(/[^a-z0-9_]+/g, '_')
    .replace(/^[^a-z]+/, '');
  const id = `${namespaceOf(origin)}.${name || 'workflow'}`;
  if (!origin.isTaken?.(id)) return id;
  return `${id}_${sha256Hex(origin.sourceKey ?? origin.sourceKind).slice(0, SUFFIX_DIGITS)}`;
}

function namespaceOf({ sourceKind, remoteNamespace }: WorkflowOrigin): string {
  switch (sourceKind) {
    case 'bundled':
      return 'wr';
    case 'user':
    case 'project':
      return sourceKind;
    case 'remote':
    case 'plugin':
      return remoteNamespace ?? 'repo';
  }
}
