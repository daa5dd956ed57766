/**
 * Paths of a template stand under the workspace: `{{workspace}}/a/b`, or just `a/b`. This is the lexical half of the
 * rule; parameters and symlinks are checked when a block opens.
 */

export type WorkspacePath =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly why: string; readonly fix: string };

const ROOT = '{{workspace}}';

/** A path under the workspace, without `.`, `..`, doubled or trailing slashes, written `{{workspace}}/…`. */
export function workspacePath(authored: string): WorkspacePath {
  const text = authored.replace(/\{\{\s*([^{}]*?)\s*\}\}/g, '{{$1}}');
  const inside = text === ROOT ? '' : text.startsWith(`${ROOT}/`) ? text.slice(ROOT.length + 1) : text;
  const kept = inside
    .replace(/\{\{workspace(?:_path)?\}\}/g, '')
    .split('/')
    .filter(isPlain)
    .join('/');
  const no = (why: string): WorkspacePath => ({ ok: false, why, fix: `Use "${ROOT}/${kept || 'name'}".` });

  if (inside.includes(ROOT) || inside.includes('{{workspace_path}}')) {
    return no(`"${authored}" does not start with ${ROOT}/.`);
  }
  if (inside.startsWith('/')) return no(`"${authored}" is an absolute path.`);
  if (/[\\\0]/.test(inside)) return no(`"${authored}" has a character that is not allowed in paths.`);
  const segments: string[] = [];
  for (const segment of inside.split('/')) {
    if (segment === '..') {
      if (segments.pop() === undefined) return no(`"${authored}" leaves the workspace.`);
    } else if (isPlain(segment)) {
      segments.push(segment);
    }
  }
  if (segments.length === 0) return no(`"${authored}" is the workspace itself.`);
  return { ok: true, path: [ROOT, ...segments].join('/') };
}

const isPlain = (segment: string): boolean => segment !== '' && segment !== '.' && segment !== '..';
