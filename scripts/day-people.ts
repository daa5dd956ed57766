/** The people of the working day: each a key, and what they can do with it over HTTP. */
import { isDeepStrictEqual } from 'node:util';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RunView } from '../api/run-view';

/** End the day where something is not as it should be. */
export function expect(found: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(found, wanted)) return;
  throw new Error(`expected ${shown(wanted)}, found ${shown(found)}`);
}

const shown = (value: unknown): string => JSON.stringify(value).slice(0, 500);

/** Somebody with a key. */
export class Person {
  constructor(
    readonly name: string,
    readonly url: string,
    private readonly key: string,
    readonly role = '',
  ) {}

  get<T>(path: string): Promise<T> {
    return this.call<T>('GET', path);
  }

  post<T = unknown>(path: string, body: unknown, headers: Readonly<Record<string, string>> = {}): Promise<T> {
    return this.call<T>('POST', path, body, headers);
  }

  async bytes(path: string): Promise<Uint8Array> {
    const response = await this.fetch('GET', path);
    if (!response.ok) throw new Error(`GET ${path}: ${response.status}`);
    return new Uint8Array(await response.arrayBuffer());
  }

  /** The code with which something is refused. */
  async refused(method: string, path: string, body?: unknown): Promise<string> {
    const response = await this.fetch(method, path, body);
    return ((await response.json()) as { code?: string }).code ?? `${response.status}`;
  }

  /** Look again and again until there is something. */
  async find<T>(look: () => Promise<T | undefined>, withinMs: number): Promise<T> {
    for (let waited = 0; waited < withinMs; waited += 250) {
      const found = await look();
      if (found !== undefined) return found;
      await sleep(250);
    }
    throw new Error(`${this.name} waited ${withinMs / 1000} s in vain.`);
  }

  fetch(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    return fetch(`${this.url}/api/a360${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.key}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }

  private async call<T>(
    method: string,
    path: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<T> {
    const response = await this.fetch(method, path, body, headers);
    const text = await response.text();
    if (!response.ok) throw new Error(`${this.name}: ${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text) as T;
  }
}

/** Follow a run by its events alone, and put together what they say until it ends. */
export async function watch(person: Person, run: string): Promise<RunView> {
  const response = await person.fetch('GET', `/factory-run/${run}/events`);
  if (!response.body) throw new Error('The stream has no body.');
  let [text, view] = ['', null as RunView | null];
  const decoder = new TextDecoder();
  for await (const chunk of response.body) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    const frames = text.split('\n\n');
    text = frames.pop() ?? '';
    for (const frame of frames) view = applied(view, frame);
  }
  if (!view) throw new Error('The stream said nothing.');
  return view;
}

function applied(view: RunView | null, frame: string): RunView | null {
  const field = (name: string): string =>
    frame
      .split('\n')
      .filter((line) => line.startsWith(`${name}: `))
      .map((line) => line.slice(name.length + 2))
      .join('\n');
  const { run_id, ...data } = (field('data') === '' ? {} : JSON.parse(field('data'))) as { run_id?: string };
  switch (field('event')) {
    case 'snapshot':
      return { run_id, ...data } as RunView;
    case 'run':
      return view && { ...view, ...(data as Partial<RunView>) };
    case 'block': {
      const block = data as RunView['blocks'][number];
      return view && { ...view, blocks: view.blocks.map((one) => (one.id === block.id ? block : one)) };
    }
    case 'gate': {
      const gate = data as RunView['gates'][number];
      const same = (one: RunView['gates'][number]): boolean =>
        one.block === gate.block && one.gate === gate.gate && one.attempt === gate.attempt;
      if (!view) return view;
      const known = view.gates.some(same);
      return {
        ...view,
        gates: known ? view.gates.map((one) => (same(one) ? gate : one)) : [...view.gates, gate],
      };
    }
    default:
      return view;
  }
}
