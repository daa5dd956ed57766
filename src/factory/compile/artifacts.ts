/** Declared artifacts: keyed within their block, and each at a path of its own. */
import { at, type Block, type TemplateProblem } from '../schema';
import { type CompiledArtifact } from './compiled-factory';
import { type Draft } from './draft';
import { workspacePath } from './workspace-path';

type Authored = NonNullable<Block['outputs']['artifacts']>[number];

/** The artifacts of a block that passed the checks. */
export function artifactsOf(block: Block): CompiledArtifact[] {
  return (block.outputs.artifacts ?? []).flatMap((artifact) => {
    const path = workspacePath(artifact.path ?? '');
    return artifact.key !== undefined && path.ok
      ? [{ key: artifact.key, path: path.path, format: formatOf(artifact) }]
      : [];
  });
}

const formatOf = ({ path, format }: Authored): string =>
  format ?? (path?.endsWith('/') ? 'directory' : 'file');

export function checkArtifacts({ template }: Draft): TemplateProblem[] {
  const owners = new Map<string, Owner>();
  const each = template.blocks.flatMap((block, index) => {
    const keys = new Set<string>();
    return (block.outputs.artifacts ?? []).flatMap((artifact, item) =>
      checkArtifact(artifact, ['blocks', index, 'outputs', 'artifacts', item], block.id, keys, owners),
    );
  });
  return [...each, ...checkNesting(owners)];
}

interface Owner {
  readonly name: string;
  readonly where: readonly PropertyKey[];
}

function checkArtifact(
  artifact: Authored,
  where: readonly PropertyKey[],
  block: string,
  keys: Set<string>,
  owners: Map<string, Owner>,
): TemplateProblem[] {
  const problems: TemplateProblem[] = [];
  const { key, path } = artifact;
  if (key === undefined || key === '') {
    problems.push(at(where, 'An artifact needs its "key".', 'Add "key".'));
  } else if (keys.has(key)) {
    const message = `Block "${block}" has two artifacts with the key "${key}".`;
    problems.push(at([...where, 'key'], message, 'Give one of them another key.'));
  }
  keys.add(key ?? '');
  if (path === undefined || path === '') {
    return [
      ...problems,
      at(where, 'An artifact needs its "path".', `Add "path": "{{workspace}}/${key ?? 'name'}".`),
    ];
  }
  if (path.endsWith('/') && formatOf(artifact) !== 'directory') {
    const message = `"${path}" is a directory, but its format is "${formatOf(artifact)}".`;
    problems.push(at([...where, 'format'], message, 'Use "directory", or remove the last slash.'));
  }
  const normal = workspacePath(path);
  if (!normal.ok) return [...problems, at([...where, 'path'], normal.why, normal.fix)];
  const name = `"${key ?? ''}" of "${block}"`;
  const owner = owners.get(normal.path);
  if (owner) {
    const message = `The path ${normal.path} is also that of ${owner.name}.`;
    return [...problems, at([...where, 'path'], message, 'Give each artifact a path of its own.')];
  }
  owners.set(normal.path, { name, where });
  return problems;
}

/** An artifact inside another's directory would be written, and hashed, by two owners. */
function checkNesting(owners: ReadonlyMap<string, Owner>): TemplateProblem[] {
  return [...owners].flatMap(([path, { where }]) => {
    for (let cut = path.lastIndexOf('/'); cut > 0; cut = path.lastIndexOf('/', cut - 1)) {
      const outer = owners.get(path.slice(0, cut));
      if (!outer) continue;
      const message = `The path ${path} is inside ${path.slice(0, cut)}, which is ${outer.name}.`;
      return [at([...where, 'path'], message, 'Move it out of that directory.')];
    }
    return [];
  });
}
