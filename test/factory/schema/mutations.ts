/** Every small change to a JSON value: keys dropped and added, types and values changed, at every depth. */
export interface Mutation {
  readonly kind: 'drop' | 'change' | 'add';
  readonly path: readonly PropertyKey[];
  readonly block: unknown;
}

const REPLACEMENTS: readonly unknown[] = [
  null,
  true,
  0,
  -1.5,
  3,
  'x',
  'before',
  'L0',
  'opus',
  [],
  ['x'],
  [1],
  [{}],
  {},
];
const ADDED = ['state', 'node', 'modle', 'constructor'];
const STATE = { status: 'pending', attempts: 0 };

export function mutations(root: unknown): Mutation[] {
  return visit(root, [], root);
}

function visit(value: unknown, path: readonly PropertyKey[], root: unknown): Mutation[] {
  const changed = REPLACEMENTS.map((to): Mutation => ({
    kind: 'change',
    path,
    block: replaced(root, path, to),
  }));
  if (typeof value !== 'object' || value === null) return changed;
  const children: [PropertyKey, unknown][] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  const inside = children.flatMap(([key, child]) => visit(child, [...path, key], root));
  if (Array.isArray(value)) return [...changed, ...inside];
  const dropped = Object.keys(value).map((key): Mutation => {
    const rest = Object.fromEntries(Object.entries(value).filter(([other]) => other !== key));
    return { kind: 'drop', path: [...path, key], block: replaced(root, path, rest) };
  });
  const added = ADDED.filter((key) => !Object.hasOwn(value, key)).flatMap((key) =>
    [1, STATE].map((to): Mutation => {
      return { kind: 'add', path: [...path, key], block: replaced(root, path, { ...value, [key]: to }) };
    }),
  );
  return [...changed, ...dropped, ...added, ...inside];
}

function replaced(root: unknown, path: readonly PropertyKey[], to: unknown): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return to;
  if (Array.isArray(root))
    return root.map((item: unknown, i) => (i === step ? replaced(item, rest, to) : item));
  const entries = Object.entries(root ?? {});
  return Object.fromEntries(
    entries.map(([key, child]) => [key, key === step ? replaced(child, rest, to) : child]),
  );
}
