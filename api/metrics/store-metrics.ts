import { Counter, Histogram, type Registry } from 'prom-client';
import { type AppendEnd, type LockAnswer, type StoreObserver } from '../../src/workrail/local';

/** An append is a few syncs: milliseconds on a good disk. */
const APPEND_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5];
/** Patience with a lock ends after half a second. */
const LOCK_BUCKETS = [0.0005, 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1];

/** What this process's WorkRail store does, counted. */
export class StoreMetrics implements StoreObserver {
  private readonly appends: Counter<'outcome'>;
  private readonly appendSeconds: Histogram<'outcome'>;
  private readonly lockSeconds: Histogram<'outcome'>;

  constructor(register: Registry) {
    const registers = [register];
    this.appends = new Counter({
      name: 'railyard_store_appends_total',
      help: 'Appends to sessions of the WorkRail store, by outcome: written, known (there already), refused',
      ...{ labelNames: ['outcome'], registers },
    });
    this.appendSeconds = new Histogram({
      name: 'railyard_store_append_duration_seconds',
      help: 'How long appends took, syncs included',
      ...{ labelNames: ['outcome'], buckets: APPEND_BUCKETS, registers },
    });
    this.lockSeconds = new Histogram({
      name: 'railyard_store_lock_wait_seconds',
      help: 'How long it took to get the lock of a session, or to give up (busy)',
      ...{ labelNames: ['outcome'], buckets: LOCK_BUCKETS, registers },
    });
  }

  appendEnded({ outcome, seconds }: AppendEnd): void {
    this.appends.inc({ outcome });
    this.appendSeconds.observe({ outcome }, seconds);
  }

  lockAnswered({ outcome, seconds }: LockAnswer): void {
    this.lockSeconds.observe({ outcome }, seconds);
  }
}
