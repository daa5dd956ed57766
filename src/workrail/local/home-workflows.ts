/** Where a data directory and a project keep their workflows. */
import { join } from 'node:path';
import { type Home, PACKAGE_ROOT } from '../../home';
import { FolderCatalog } from './workflow-catalog';
import { type WorkflowFolder } from './workflow-folders';

/** The folders of a data directory, the one that wins first. A service has no project; an agent's tools have the one they are called in. */
export function workflowFolders(root: string, project: string | null): readonly WorkflowFolder[] {
  const bundled = { sourceKind: 'bundled', path: join(PACKAGE_ROOT, 'workrail-workflows') } as const;
  const user = { sourceKind: 'user', path: join(root, 'workflows') } as const;
  if (project === null) return [bundled, user];
  const own = { sourceKind: 'project', path: join(project, '.railyard', 'workflows') } as const;
  // In the folder that the data directory is in, both are the same.
  return own.path === user.path ? [bundled, user] : [bundled, own, user];
}

/** The catalog over them. */
export const catalogOf = (home: Home, project: string | null): FolderCatalog =>
  new FolderCatalog(workflowFolders(home.root, project));
