/** The text format of Prometheus, read strictly: whatever a scraper would not take is an error here. */

export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const NAME = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? (\\S+)$`);
const NOTE = new RegExp(`^# (HELP|TYPE) (${NAME})(?: (.*))?$`);

/** Every sample of a text; throws at the first line that is not of the format. */
export function parse(text: string): Sample[] {
  if (!text.endsWith('\n')) throw new Error('The text does not end with a line');
  const types = new Map<string, string>();
  const samples: Sample[] = [];
  const seen = new Set<string>();
  for (const line of text.split('\n')) {
    if (line === '') continue;
    if (line.startsWith('#')) note(line, types, samples);
    else samples.push(sampleOf(line, types, seen));
  }
  return samples;
}

function note(line: string, types: Map<string, string>, samples: readonly Sample[]): void {
  const [, kind, name = '', rest = ''] = NOTE.exec(line) ?? [];
  if (kind === undefined) throw new Error(`Not a note: ${line}`);
  if (kind !== 'TYPE') return;
  if (!['counter', 'gauge', 'histogram', 'summary', 'untyped'].includes(rest))
    throw new Error(`No type: ${line}`);
  if (types.has(name)) throw new Error(`The family ${name} comes twice`);
  if (samples.some((one) => one.name === name)) throw new Error(`The type of ${name} comes too late`);
  types.set(name, rest);
}

function sampleOf(line: string, types: ReadonlyMap<string, string>, seen: Set<string>): Sample {
  const [, name = '', inside = '', number = ''] = SAMPLE.exec(line) ?? [];
  const family = types.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '');
  if (!types.has(family)) throw new Error(`No family: ${line}`);
  const value = { '+Inf': Infinity, '-Inf': -Infinity, NaN: NaN }[number] ?? Number(number);
  if (Number.isNaN(value) && number !== 'NaN') throw new Error(`No number: ${line}`);
  const labels = labelsOf(inside);
  const id = `${name} ${JSON.stringify(Object.entries(labels).sort())}`;
  if (seen.has(id)) throw new Error(`Twice: ${line}`);
  seen.add(id);
  return { name, labels, value };
}

function labelsOf(inside: string): Record<string, string> {
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < inside.length) {
    const at = LABEL.lastIndex;
    const [, name = '', value = ''] = LABEL.exec(inside) ?? [];
    if (name === '') throw new Error(`No labels: ${inside.slice(at)}`);
    labels[name] = value;
  }
  return labels;
}

/** The value of the one sample with these labels; null where there is none. */
export function valueOf(
  samples: readonly Sample[],
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const found = samples.filter(
    (one) => one.name === name && Object.entries(labels).every(([key, value]) => one.labels[key] === value),
  );
  if (found.length > 1) throw new Error(`Several samples of ${name}`);
  return found[0]?.value ?? null;
}
