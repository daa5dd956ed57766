/** What the Block v2 document says about the clone factory, as tables to hold runs against. */

const RECON: readonly string[] = ['deep-research', 'expert-recon', 'masterybook-sync'];
export const EXTRACTORS: readonly string[] = [
  'soul-extractor',
  'voice-extractor',
  'framework-extractor',
  'resource-extractor',
  'offer-extractor',
];
const BUILDERS: readonly string[] = ['clone-compiler', 'lead-magnet-builder', 'onboarding-builder'];

/** Section 6: the parallel groups. */
export const GROUPS = { 'L0-recon': RECON, 'L2-extractors': EXTRACTORS, 'L3-builders': BUILDERS };

/** The 18 blocks, in template order. */
export const BLOCKS: readonly string[] = [
  ...RECON,
  'expert-framework-creator',
  'source-indexer',
  'module-mapper',
  ...EXTRACTORS,
  'gap-analyzer',
  ...BUILDERS,
  'clone-tester',
  'clone-packager',
  'factory-reporter',
];

interface DocumentGate {
  readonly block: string;
  readonly approvers: readonly string[];
  readonly hours: number;
  /** The blocks that are done when this gate opens; all others wait for it, near or far. */
  readonly done: readonly string[];
}

/** The blocks that the template has before one; for the second and third gate these are all that come before it. */
export const before = (block: string): readonly string[] => BLOCKS.slice(0, BLOCKS.indexOf(block));

/** Section 7: the human gates, each after its block. */
export const GATES: readonly DocumentGate[] = [
  {
    block: 'expert-framework-creator',
    approvers: ['expert', 'product_lead'],
    hours: 48,
    // The indexer needs the sources alone, so the gate does not hold it up.
    done: [...RECON, 'source-indexer'],
  },
  { block: 'gap-analyzer', approvers: ['product_lead'], hours: 24, done: before('gap-analyzer') },
  {
    block: 'clone-tester',
    approvers: ['expert', 'product_lead', 'tech_lead'],
    hours: 72,
    done: before('clone-tester'),
  },
];

export function gateOf(block: string): DocumentGate {
  const gate = GATES.find((one) => one.block === block);
  if (!gate) throw new Error(`The document has no gate after ${block}`);
  return gate;
}

/** The states of a run that waits at a gate: what came before is done, everything else is blocked. */
export const statesAt = (block: string): object => ({ ...apart(block), waiting: [block] });

/** The same when the block of the gate has failed. */
export const statesFailed = (block: string): object => ({ ...apart(block), failed: [block] });

function apart(block: string): object {
  const { done } = gateOf(block);
  return { done, blocked: BLOCKS.filter((id) => id !== block && !done.includes(id)) };
}

/** Section 8: the example of the clone tester, whose threshold is 85 with two retries. */
export const THRESHOLD = { metric: 'overall_score', min: 85, retries: 2, missed: [82, 84, 83] };
