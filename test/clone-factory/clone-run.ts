/** Runs of the shipped clone factory on the yard, for the sample expert. */
import { cp, readdir, readFile } from 'node:fs/promises';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLocalProgram, type SkillRequest, type SkillRuntime } from '../../activities';
import { type BlockView, type RunView } from '../../api/run-view';
import { type Block, type Template } from '../../src/factory/schema';
import { attemptDir } from '../../src/home';
import { blockOf, Yard } from '../yard/yard';
import { gateOf } from './document';

const ROOT = join(__dirname, '..', '..');
const MISHAPS = join(ROOT, 'test', 'fixtures', 'clone-skills');
const PARAMETERS = { expert_name: 'Orla Venn', expert_slug: 'orla-venn', publish_domain: 'example.org' };

/** The template as it ships; a copy of its own for every caller. */
export function cloneFactory(): Template {
  const text = readFileSync(join(ROOT, 'factories', 'clone-factory.json'), 'utf8');
  // The compiler checks it when the run starts.
  return JSON.parse(text) as Template;
}

/** The template with one block changed. */
export function changed(template: Template, id: string, change: (block: Block) => Block): Template {
  return { ...template, blocks: template.blocks.map((block) => (block.id === id ? change(block) : block)) };
}

/** The template with more in the config of one block. */
export function configured(template: Template, id: string, config: Block['inputs']['config']): Template {
  return changed(template, id, (block) => ({
    ...block,
    inputs: { ...block.inputs, config: { ...block.inputs.config, ...config } },
  }));
}

/** A yard whose worker finds the skills of `test/fixtures/clone-skills` before the shipped ones. */
export function openAccidentProneYard(): Promise<Yard> {
  const local = createLocalProgram();
  const runtime: SkillRuntime = {
    name: local.name,
    run: (job, signal) => local.run({ ...job, skillDirs: [MISHAPS, ...job.skillDirs] }, signal),
  };
  return Yard.open({ runtime });
}

let runs = 0;

/** One run of a clone factory, with the sample in its inbox. */
export class CloneRun {
  private constructor(
    readonly yard: Yard,
    readonly id: string,
  ) {}

  static async start(yard: Yard, template: Template = cloneFactory()): Promise<CloneRun> {
    runs += 1;
    const id = `clone-${runs}-${yard.home.store}`;
    const inbox = yard.home.path('workspaces', id, 'inbox');
    await cp(join(ROOT, 'samples', 'expert', 'inbox'), inbox, { recursive: true });
    const started = await yard.runs.start({ template, parameters: PARAMETERS, startedBy: 'sam', run: id });
    if (started.isErr()) throw new Error(JSON.stringify(started.error));
    return new CloneRun(yard, id);
  }

  until(block: string, status: BlockView['status']): Promise<RunView> {
    return this.yard.untilBlock(this.id, block, status);
  }

  /** Wait until an attempt of a block waits at its gate, and everything that need not wait for it has ended. */
  untilGate(block: string, attempt = 1): Promise<RunView> {
    return this.yard.until(this.id, (view) => {
      const { status, attempt: at } = blockOf(view, block);
      return status === 'waiting' && at === attempt && view.counts.running === 0;
    });
  }

  ends(status: RunView['status']): Promise<RunView> {
    return this.yard.untilStatus(this.id, status);
  }

  /** Approve the gate after a block, as soon as it is open, in a role that the document gives it. */
  async approve(block: string, attempt = 1): Promise<RunView> {
    const view = await this.untilGate(block, attempt);
    const said = await this.yard.decide(this.id, block, { role: gateOf(block).approvers[0] ?? '', attempt });
    if (said !== 'decided') throw new Error(`The approval of ${block} was answered with ${said}`);
    return view;
  }

  reject(block: string, feedback: string, action: 'retry' | 'abort' = 'retry'): Promise<string> {
    const role = gateOf(block).approvers[0] ?? '';
    return this.yard.decide(this.id, block, { decision: 'reject', role, feedback, action });
  }

  /** What the skill of an attempt was told. */
  async request(block: string, attempt: number): Promise<SkillRequest> {
    const path = join(attemptDir(this.yard.home, this.id, block, attempt), 'request.json');
    return JSON.parse(await readFile(path, 'utf8')) as SkillRequest;
  }

  /** Every attempt that was ever begun, as `block.attempt`, in order of the names. */
  async begun(): Promise<readonly string[]> {
    return (await readdir(this.yard.home.path('runs', this.id, 'attempts'))).sort();
  }

  /** What the current attempt of a block left, by the artifact's key. */
  async artifact(block: string, key: string): Promise<string> {
    const found = (await this.yard.block(this.id, block)).artifacts.find((one) => one.key === key);
    if (!found) throw new Error(`${block} has left no ${key}`);
    return readFile(found.path, 'utf8');
  }

  /** The same, as JSON. */
  async json(block: string, key: string): Promise<object> {
    return JSON.parse(await this.artifact(block, key)) as object;
  }
}

/** The blocks of each status that occurs, in template order. */
export function byStatus(view: RunView): Partial<Record<BlockView['status'], readonly string[]>> {
  const found: Partial<Record<BlockView['status'], string[]>> = {};
  for (const { id, status } of view.blocks) (found[status] ??= []).push(id);
  return found;
}
