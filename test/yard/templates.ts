/** Templates whose blocks run the scripted skill. */
import { type Block, type HumanGate, type Template } from '../../src/factory/schema';

/** What one attempt does; see the skill's SKILL.md. */
export interface ScriptEntry {
  readonly metrics?: Readonly<Record<string, unknown>>;
  readonly text?: string;
  readonly notes?: string;
  readonly fail?: string;
  readonly hang?: true;
  readonly until?: string;
  readonly echo?: true;
  readonly omit?: readonly string[];
  readonly records?: readonly { id: string; state: string }[];
}

interface Sketch {
  readonly needs?: readonly string[];
  readonly script?: readonly ScriptEntry[];
  readonly execution?: Block['execution'];
  readonly timeout?: number;
}

/** A block with one artifact `out` and the metric `score`. */
export function scripted(id: string, { needs = [], script, execution = {}, timeout }: Sketch = {}): Block {
  return {
    id,
    name: id,
    layer: 'L0',
    type: 'build',
    skill: 'scripted',
    ...(timeout === undefined ? {} : { timeout }),
    trigger: { type: 'dependency' },
    inputs: {
      depends: needs.map((block) => ({ block, key: 'out' })),
      config: script ? { script } : {},
    },
    outputs: {
      artifacts: [{ key: 'out', path: `{{workspace}}/${id}.txt`, format: 'text' }],
      metrics: [{ key: 'score', type: 'number' }],
    },
    execution,
    lifecycle: { mode: 'one-shot' },
  };
}

export function factory(blocks: readonly Block[], more: Partial<Template> = {}): Template {
  return { factory: { id: 'test', name: 'Test' }, blocks: [...blocks], ...more };
}

export const gateAfter = (block: string, more: Partial<HumanGate> = {}): HumanGate => ({
  after_block: block,
  approvers: ['editor'],
  ...more,
});

export const gateBefore = (block: string, more: Partial<HumanGate> = {}): HumanGate => ({
  before_block: block,
  approvers: ['editor'],
  ...more,
});
