/** Protocols on real stores, and an agent that calls their tools the way a client does. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ok, type Result } from 'neverthrow';
import { type RailyardError } from '../../../src/errors';
import {
  currentSigner,
  LocalKeyring,
  openWorkrailStore,
  type StoreObserver,
  systemMinting,
  type WorkrailStore,
} from '../../../src/workrail/local';
import { type DomainEvent, type EventOf, SessionId } from '../../../src/workrail/model';
import {
  type AskPerson,
  createProtocol,
  type KnownWorkflow,
  type Protocol,
  type StepOutput,
  TOOLS,
  type ToolInput,
  type ToolName,
  type ToolOutput,
  type WorkflowCatalog,
} from '../../../src/workrail/protocol';
import { filesIn, temporary } from '../../sandbox/places';
import { compiled, type Json, step, workflow } from '../compiler/workflows';

/** A catalog of workflows in memory; a test may put another version into it. */
export class Shelf implements WorkflowCatalog {
  readonly #known = new Map<string, KnownWorkflow>();

  constructor(sources: readonly Json[]) {
    for (const source of sources) this.put(source);
  }

  put(source: Json): void {
    const made = compiled(source);
    const { workflowId } = made.identity;
    this.#known.set(workflowId, { ...made, sourceKind: 'user', sourceRef: `${workflowId}.json` });
  }

  remove(workflowId: string): void {
    this.#known.delete(workflowId);
  }

  list(): ReturnType<WorkflowCatalog['list']> {
    return Promise.resolve(ok({ known: [...this.#known.values()], unusable: [] }));
  }

  find(workflowId: string): ReturnType<WorkflowCatalog['find']> {
    return Promise.resolve(ok(this.#known.get(workflowId) ?? null));
  }
}

/** A data directory with a protocol on it. */
export interface Desk {
  readonly root: string;
  readonly store: WorkrailStore;
  readonly keyring: LocalKeyring;
  readonly shelf: Shelf;
  readonly protocol: Protocol;
  readonly agent: Agent;
}

/** Steps in a row: enough for most tests. */
export const STEPS = workflow([step('one'), step('two'), step('three')]);

export async function desk(
  sources: readonly Json[] = [STEPS],
  root = temporary(),
  observer?: StoreObserver,
): Promise<Desk> {
  const store = (await openWorkrailStore({ root, ...(observer ? { observer } : {}) }))._unsafeUnwrap();
  const keyring = new LocalKeyring(root);
  const shelf = new Shelf(sources);
  const { sessions, snapshots, workflows, artifacts } = store;
  const protocol = createProtocol({
    ...{ sessions, snapshots, workflows, artifacts },
    minting: systemMinting,
    catalog: shelf,
    signer: () => currentSigner(keyring),
  });
  return { root, store, keyring, shelf, protocol, agent: new Agent(protocol) };
}

type Given<N extends ToolName> = Parameters<(typeof TOOLS)[N]['input']['parse']>[0];

/** Calls tools with input as a client sends it, and reads answers by their schemas. */
export class Agent {
  constructor(
    private readonly protocol: Protocol,
    private readonly ask?: AskPerson,
  ) {}

  /** The same tools in the hands of somebody whom a person answers so. */
  asking(answer: Awaited<ReturnType<AskPerson>>, asked: string[] = []): Agent {
    return new Agent(this.protocol, ({ text }) => {
      asked.push(text);
      return Promise.resolve(answer);
    });
  }

  async call<N extends ToolName>(name: N, given: Given<N>): Promise<Result<ToolOutput<N>, RailyardError>> {
    // Each tool's schema gives its own input and output: the table ties them together, the compiler cannot.
    const input = TOOLS[name].input.parse(given) as ToolInput<N>;
    const answer = await this.protocol[name](input, this.ask);
    return answer.map((value) => TOOLS[name].output.parse(value) as ToolOutput<N>);
  }

  async start(more: Json = {}, workflowId = 'user.sample'): Promise<StepOutput> {
    return unwrap(await this.call('start_workflow', { workflowId, ...more }));
  }

  /** Acknowledge where an answer left off, with notes unless something else is handed in. */
  tryNext(from: StepOutput, more: Json = {}): Promise<Result<StepOutput, RailyardError>> {
    return this.call('continue_workflow', {
      stateToken: from.stateToken,
      ackToken: from.ackToken ?? from.retryAckToken,
      output: { notesMarkdown: `Did ${from.pending?.stepId ?? 'nothing'}.` },
      ...more,
    });
  }

  async next(from: StepOutput, more: Json = {}): Promise<StepOutput> {
    return unwrap(await this.tryNext(from, more));
  }

  /** Read a place again. */
  async read({ stateToken }: { readonly stateToken: string }): Promise<StepOutput> {
    return unwrap(await this.call('continue_workflow', { stateToken }));
  }
}

export function unwrap<T>(result: Result<T, RailyardError>): T {
  if (result.isErr()) throw new Error(`${result.error.code}: ${result.error.message}`);
  return result.value;
}

export const errorOf = (result: Result<unknown, RailyardError>): RailyardError => result._unsafeUnwrapErr();

/** What a token says. */
export function payloadOf(token: string | undefined): Record<string, string> {
  const payload = token?.split('.')[2] ?? '';
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, string>;
}

export const sessionOf = ({ stateToken }: { readonly stateToken: string }): SessionId =>
  SessionId.parse(payloadOf(stateToken).sessionId);

/** The events of an answer's session. */
export async function eventsOf(
  { store }: Pick<Desk, 'store'>,
  answer: { readonly stateToken: string },
): Promise<readonly DomainEvent[]> {
  return unwrap(await store.sessions.load(sessionOf(answer))).events();
}

/** Those of one kind. */
export async function eventsOfKind<K extends DomainEvent['kind']>(
  at: Pick<Desk, 'store'>,
  answer: { readonly stateToken: string },
  kind: K,
): Promise<readonly EventOf<K>[]> {
  const all = await eventsOf(at, answer);
  return all.filter((event): event is EventOf<K> => event.kind === kind);
}

/** One digest of every file of a data directory, with its name. */
export function treeDigest(root: string): string {
  const hash = createHash('sha256');
  for (const name of Object.keys(filesIn(root))) hash.update(name).update(readFileSync(`${root}/${name}`));
  return hash.digest('hex');
}
