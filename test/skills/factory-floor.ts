/** A workspace in which the blocks of the clone factory run as real programs, with requests made from the template. */
import { spawnSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import {
  compileTemplate,
  resolveBlock,
  type CompiledArtifact,
  type CompiledBlock,
  type CompiledFactory,
} from '../../src/factory/compile';

const ROOT = join(__dirname, '../..');
export const SKILLS = join(ROOT, 'skills');
export const SAMPLE = join(ROOT, 'samples/expert/inbox');
export const TEMPLATE = join(ROOT, 'factories/clone-factory.json');
const PARAMETERS = { expert_name: 'Orla Venn', expert_slug: 'orla-venn', publish_domain: 'example.com' };

export interface Feedback {
  readonly attempt: number;
  readonly from: string;
  readonly role: string;
  readonly text: string;
}

/** What a test may change in a request. */
export interface RequestChange {
  readonly inputs?: readonly RequestInput[];
  readonly files?: readonly string[];
  readonly attempt?: number;
  readonly feedback?: readonly Feedback[];
  readonly previous?: { attempt: number; score: number | null; metrics: object; failure: null; error: null };
}

export interface RequestInput extends CompiledArtifact {
  readonly block: string;
  readonly digest: string;
}

export interface SkillEnd {
  readonly status: number | null;
  readonly stderr: string;
  /** Null when the skill wrote none. */
  readonly result: SkillResult | null;
}

export interface SkillResult {
  readonly metrics: Readonly<Record<string, number>>;
  readonly notes: string;
  readonly records?: readonly { readonly id: string; readonly state: string }[];
}

export function cloneFactory(): CompiledFactory {
  return compileTemplate(readFileSync(TEMPLATE, 'utf8'))._unsafeUnwrap().compiled;
}

/** The blocks so that each comes after all it depends on. */
export function inOrder(blocks: readonly CompiledBlock[]): CompiledBlock[] {
  const done = new Set<string>();
  const ordered: CompiledBlock[] = [];
  while (ordered.length < blocks.length) {
    const ready = blocks.filter(
      (one) => !done.has(one.id) && one.depends.every(({ block }) => done.has(block)),
    );
    if (ready.length === 0) throw new Error('The template has a cycle.');
    for (const one of ready) done.add(one.id);
    ordered.push(...ready);
  }
  return ordered;
}

export class FactoryFloor {
  readonly workspace = realpathSync(mkdtempSync(join(tmpdir(), 'railyard-skills-')));
  readonly #desk = mkdtempSync(join(tmpdir(), 'railyard-desk-'));
  readonly blocks: readonly CompiledBlock[];
  readonly #modules: CompiledFactory['moduleMapping'];

  /** `inbox`: the names of the sample's files to hand over; all of them unless told. */
  constructor(inbox: readonly string[] = readdirSync(SAMPLE)) {
    const compiled = cloneFactory();
    const builtIns = { workspacePath: this.workspace, run: 'run-1' };
    this.blocks = inOrder(compiled.blocks).map((one) =>
      resolveBlock(compiled, one, PARAMETERS, builtIns)._unsafeUnwrap(),
    );
    this.#modules = compiled.moduleMapping;
    mkdirSync(join(this.workspace, 'inbox'));
    for (const name of inbox) cpSync(join(SAMPLE, name), join(this.workspace, 'inbox', name));
  }

  block(id: string): CompiledBlock {
    const found = this.blocks.find((one) => one.id === id);
    if (!found) throw new Error(`The clone factory has no block ${id}.`);
    return found;
  }

  inputsOf(block: CompiledBlock): RequestInput[] {
    return block.depends.map((dependency) => {
      const artifact = this.block(dependency.block).artifacts.find(({ key }) => key === dependency.key);
      if (!artifact) throw new Error(`${dependency.block} has no artifact ${dependency.key}.`);
      return { ...withSlash(artifact), block: dependency.block, digest: `sha256:${'0'.repeat(64)}` };
    });
  }

  /** Runs one block's skill, as the local runtime does. */
  run(id: string, change: RequestChange = {}): SkillEnd {
    const block = this.block(id);
    const request = {
      version: 1,
      run: 'run-1',
      block: id,
      attempt: 1,
      skill: block.skill,
      model: block.model,
      parameters: PARAMETERS,
      config: block.config,
      modules: this.#modules,
      inputs: this.inputsOf(block),
      files: block.files.flatMap((pattern) => filesUnder(pattern.replace(/\/\*\*\/\*$/u, ''))),
      outputs: block.artifacts.map(withSlash),
      metrics: block.metrics,
      feedback: [],
      previous: null,
      lens: { perspective: block.lens.perspective },
      env: [],
      ...change,
    };
    const requestPath = join(this.#desk, 'request.json');
    const resultPath = join(this.#desk, 'result.json');
    rmSync(resultPath, { force: true });
    writeFileSync(requestPath, JSON.stringify(request));
    const program = join(SKILLS, block.skill, 'run.mjs');
    const end = spawnSync(process.execPath, [program, requestPath, resultPath], {
      cwd: this.workspace,
      encoding: 'utf8',
    });
    return { status: end.status, stderr: end.stderr, result: readResult(resultPath) };
  }

  /** Runs one block and expects it to succeed. */
  perform(id: string, change: RequestChange = {}): SkillResult {
    const end = this.run(id, change);
    if (end.status !== 0 || end.result === null) throw new Error(`${id} failed: ${end.stderr}`);
    return end.result;
  }

  /** Runs blocks in dependency order up to and including one, or all of them. */
  walk(last?: string): Map<string, SkillResult> {
    const results = new Map<string, SkillResult>();
    for (const { id } of this.blocks) {
      results.set(id, this.perform(id));
      if (id === last) break;
    }
    return results;
  }

  /** Runs only the blocks that one block needs, and that one. */
  walkTo(id: string): SkillResult {
    const needed = new Set<string>();
    const need = (one: string): void => {
      if (needed.has(one)) return;
      needed.add(one);
      this.block(one).depends.forEach(({ block }) => need(block));
    };
    need(id);
    const results = this.blocks
      .filter((one) => needed.has(one.id))
      .map((one) => [one.id, this.perform(one.id)] as const);
    const last = new Map(results).get(id);
    if (!last) throw new Error(`${id} was not run.`);
    return last;
  }

  /** Path of an artifact. */
  artifact(id: string, key: string): string {
    const found = this.block(id).artifacts.find((artifact) => artifact.key === key);
    if (!found) throw new Error(`${id} has no artifact ${key}.`);
    return found.path;
  }

  text(id: string, key: string): string {
    return readFileSync(this.artifact(id, key), 'utf8');
  }

  json(id: string, key: string): unknown {
    return JSON.parse(this.text(id, key));
  }

  /** Every file of the workspace with its bytes. */
  snapshot(): Map<string, string> {
    return new Map(
      filesUnder(this.workspace).map((path) => [
        relative(this.workspace, path),
        readFileSync(path).toString('base64'),
      ]),
    );
  }

  close(): void {
    rmSync(this.workspace, { recursive: true, force: true });
    rmSync(this.#desk, { recursive: true, force: true });
  }
}

/** Every regular file below a folder, sorted. */
export function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
}

const withSlash = <T extends CompiledArtifact>(artifact: T): T =>
  artifact.format === 'directory' ? { ...artifact, path: `${artifact.path}/` } : artifact;

function readResult(path: string): SkillResult | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as SkillResult; // checked by the tests that look into it
  } catch {
    return null;
  }
}
