/**
 * The workflows that can be started: those of the bundled folder, of the project and of the user (locks, section 7). Where a
 * project and a user both have an id, the project's stands; `wr.*` is bundled and nobody else can have it. Whatever cannot be
 * used is reported with its reason. Folders are read anew each time, so that an edit counts at once; a content that was
 * compiled before is not compiled again.
 */
import { err, ok, type Result } from 'neverthrow';
import { sha256Hex } from '../../canonical';
import { problem, type RailyardError } from '../../errors';
import { compileWorkflow, identityOf, type WorkflowCompilation, type WorkflowOrigin } from '../compiler';
import { type KnownWorkflow, type UnusableWorkflow, type WorkflowCatalog } from '../protocol';
import { workflowFiles, type WorkflowFile, type WorkflowFolder } from './workflow-folders';

type Compiled = Result<WorkflowCompilation, RailyardError>;

/** What the folders hold right now. */
interface Shelf {
  readonly known: readonly KnownWorkflow[];
  readonly unusable: readonly UnusableWorkflow[];
}

export class FolderCatalog implements WorkflowCatalog {
  private compiled: ReadonlyMap<string, Compiled> = new Map();

  /** Of two folders with the same id, the first one's workflow stands. */
  constructor(private readonly folders: readonly WorkflowFolder[]) {}

  async list(): Promise<Result<Shelf, RailyardError>> {
    return ok(await this.read());
  }

  async find(workflowId: string): Promise<Result<KnownWorkflow | null, RailyardError>> {
    const { known } = await this.read();
    const named = known.find(({ identity }) => identity.workflowId === workflowId);
    return ok(named ?? known.find((one) => aliasOf(one) === workflowId) ?? null);
  }

  private async read(): Promise<Shelf> {
    const files = (await Promise.all(this.folders.map(workflowFiles))).flat();
    const fresh = new Map<string, Compiled>();
    const seen = files.map((file) => ({ file, compiled: this.compile(file, fresh) }));
    // What is gone from the folders is forgotten.
    this.compiled = fresh;
    const ids = new Set(seen.flatMap(({ compiled }) => (compiled.isOk() ? [idOf(compiled.value)] : [])));
    const known = new Map<string, KnownWorkflow>();
    const unusable: UnusableWorkflow[] = [];
    for (const { file, compiled } of seen) {
      if (compiled.isErr()) {
        unusable.push({ source: placeOf(file), problem: compiled.error });
        continue;
      }
      const id = idOf(compiled.value);
      const first = known.get(id);
      if (first) unusable.push({ source: placeOf(file), problem: taken(id, first) });
      else known.set(id, knownFrom(file, compiled.value, ids));
    }
    return { known: [...known.values()].sort(byId), unusable };
  }

  private compile(file: WorkflowFile, fresh: Map<string, Compiled>): Compiled {
    const { sourceKind, content } = file;
    if ('problem' in content) return err(content.problem);
    // The kind of source decides which ids are allowed.
    const key = `${sourceKind} ${sha256Hex(content.text)}`;
    const compiled =
      fresh.get(key) ?? this.compiled.get(key) ?? compileWorkflow(content.text, originOf(file));
    fresh.set(key, compiled);
    return compiled;
  }
}

const idOf = ({ identity }: WorkflowCompilation): string => identity.workflowId;
const byId = (a: KnownWorkflow, b: KnownWorkflow): number =>
  a.identity.workflowId < b.identity.workflowId ? -1 : 1;

/** For people: never a path of this machine. */
const placeOf = ({ sourceKind, ref }: Pick<WorkflowFile, 'sourceKind' | 'ref'>): string =>
  ref === '' ? `${sourceKind} workflows` : `${sourceKind}: ${ref}`;

const originOf = ({ sourceKind, ref }: WorkflowFile): WorkflowOrigin => ({
  ...{ sourceKind, sourceKey: `${sourceKind}:${ref}` },
});

function knownFrom(
  file: WorkflowFile,
  { compiled, workflowHash, identity }: WorkflowCompilation,
  ids: ReadonlySet<string>,
): KnownWorkflow {
  const { sourceKind, ref } = file;
  const origin = { ...originOf(file), isTaken: (id: string) => ids.has(id) };
  return {
    ...{ compiled, workflowHash, sourceKind, sourceRef: ref },
    // Which ids are taken changes with the other files.
    identity: identityOf(identity.workflowId, origin),
  };
}

/** What a bundled workflow may be called besides its id, as in the time before namespaces: `bug-investigation`. */
function aliasOf({ sourceKind, identity }: KnownWorkflow): string | null {
  return sourceKind === 'bundled' ? identity.workflowId.replace(/^wr\./, '').replaceAll('_', '-') : null;
}

function taken(id: string, { sourceKind, sourceRef }: KnownWorkflow): RailyardError {
  const place = placeOf({ sourceKind, ref: sourceRef });
  return problem('WORKFLOW_ID_TAKEN', `The id "${id}" is that of another workflow, which stands (${place}).`);
}
