/**
 * What can be wrong with a bundle, in phases (locks, section 1.3): its version, its format, its integrity, the order of events, the
 * order and attestation of the manifest, the snapshots, the workflows and the links between its events. A bundle with
 * several faults gets the one of the first phase, wherever in the file it stands.
 */
import { problem, type RailyardError } from '../../errors';
import { type RecordFault } from '../model';

export const PHASES = [
  'version',
  'format',
  'integrity',
  'event_order',
  'manifest_order',
  'snapshots',
  'workflows',
  'links',
] as const;
export type Phase = (typeof PHASES)[number];

const CODES = {
  version: 'BUNDLE_UNSUPPORTED_VERSION',
  format: 'BUNDLE_INVALID_FORMAT',
  integrity: 'BUNDLE_INTEGRITY_FAILED',
  event_order: 'BUNDLE_EVENT_ORDER_INVALID',
  manifest_order: 'BUNDLE_MANIFEST_ORDER_INVALID',
  snapshots: 'BUNDLE_MISSING_SNAPSHOT',
  workflows: 'BUNDLE_MISSING_PINNED_WORKFLOW',
  // The set of codes is closed; events that refer to nothing are not as a bundle has them.
  links: 'BUNDLE_INVALID_FORMAT',
} as const satisfies Record<Phase, string>;

/** The faults found so far: the first of each phase. */
export class Faults {
  readonly #found = new Map<Phase, RailyardError>();

  /** `where` is a path in the bundle, as integrity entries have them. */
  note(phase: Phase, where: string, why: string): void {
    if (this.#found.has(phase)) return;
    this.#found.set(
      phase,
      problem(CODES[phase], `The bundle's ${where} ${why}.`, { details: { path: where } }),
    );
  }

  /** A record that could not be read: of another version, or not of its shape. */
  noteRecord(where: string, fault: RecordFault): void {
    if (fault.kind === 'unknown_version') {
      this.note(
        'version',
        where,
        `has version ${JSON.stringify(fault.found)}, which this store does not read`,
      );
    } else {
      this.note('format', `${where}${fault.pointer}`, `is not valid: ${fault.reason}`);
    }
  }

  has(...phases: readonly Phase[]): boolean {
    return phases.some((phase) => this.#found.has(phase));
  }

  /** The fault of the first phase that has one. */
  first(): RailyardError | null {
    for (const phase of PHASES) {
      const found = this.#found.get(phase);
      if (found) return found;
    }
    return null;
  }
}

/** Ends the reading of a bundle; caught where reading began and never seen outside of this folder. */
export class BundleUnreadable extends Error {
  constructor(readonly problem: RailyardError) {
    super(problem.message);
  }
}
