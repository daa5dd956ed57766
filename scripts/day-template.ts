/** The factory of the working day: the walking factory with a gate, a threshold, another gate, and a webhook at its end. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Template } from '../src/factory/schema';
import { PACKAGE_ROOT } from '../src/home';

/** More words than any draft has. */
const TOO_MANY = 100_000;

export function dayTemplate({ gates = true } = {}): Template {
  const path = join(PACKAGE_ROOT, 'factories', 'walking.json');
  // The template that comes with us; what is wrong with it is found when it is started.
  const walking = JSON.parse(readFileSync(path, 'utf8')) as Template;
  const blocks = walking.blocks.map((block) => ({
    ...block,
    execution: { ...block.execution, parallel_group: null, human_gate: 'none' as const, max_retries: 0 },
  }));
  if (!gates) return { ...walking, blocks, parallel_groups: {}, human_gates: [] };
  const [draft] = blocks;
  if (!draft) throw new Error('The walking factory has no blocks.');
  const mailing: Template['blocks'][number] = {
    ...draft,
    id: 'mailing',
    name: 'Mailing',
    skill: 'word-counter',
    trigger: { type: 'webhook', webhook: '/publish' },
    inputs: { depends: [{ block: 'draft', key: 'draft' }] },
    outputs: {
      artifacts: [{ key: 'counts', path: '{{workspace}}/mailing.json', format: 'json' }],
      metrics: [{ key: 'words', type: 'number' }],
    },
  };
  return {
    ...walking,
    blocks: [
      ...blocks.map((block) => ({ ...block, execution: { ...block.execution, max_retries: 1 } })),
      mailing,
    ],
    parallel_groups: {},
    human_gates: [
      { after_block: 'draft', approvers: ['editor'] },
      { after_block: 'page', approvers: ['tech_lead'] },
    ],
    thresholds: [{ block: 'count', metric: 'words', min: TOO_MANY, action: 'fail', override_allowed: true }],
  };
}
