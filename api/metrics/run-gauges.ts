/** What a census found, as gauges. No label names a run. */
import { Gauge, type Registry } from 'prom-client';
import { BoundedNames } from './bounded-names';
import { type Counted } from './census';
import { isFinal } from '../run-roll';

export class RunGauges {
  private readonly factories = new BoundedNames();
  private readonly runs: Gauge<'factory' | 'status'>;
  private readonly blocks: Gauge<'state'>;
  private readonly open: Gauge<'factory'>;
  private readonly overdue: Gauge<'factory'>;
  private readonly oldest: Gauge<'factory'>;
  private readonly counted: Gauge;

  constructor(register: Registry) {
    const registers = [register];
    const ofFactory = (name: string, help: string): Gauge<'factory'> =>
      new Gauge({ name, help, labelNames: ['factory'], registers });
    this.runs = new Gauge({
      ...{ name: 'railyard_runs', help: 'Runs in the data directory, by factory and status', registers },
      labelNames: ['factory', 'status'],
    });
    this.blocks = new Gauge({
      ...{ name: 'railyard_blocks', help: 'Blocks of runs that are not over, by state', registers },
      labelNames: ['state'],
    });
    this.open = ofFactory('railyard_gates_open', 'Gates that wait for people');
    this.overdue = ofFactory('railyard_gates_overdue', 'Gates whose deadline has passed');
    this.oldest = ofFactory(
      'railyard_gate_oldest_seconds',
      'How long the gate has waited that waits longest',
    );
    this.counted = new Gauge({
      name: 'railyard_census_timestamp_seconds',
      help: 'When runs, blocks and gates were last counted; 0: not yet',
      registers,
    });
  }

  /** Show what was counted. */
  show({ at, runs }: Counted): void {
    for (const gauge of [this.runs, this.blocks, this.open, this.overdue, this.oldest]) gauge.reset();
    for (const { factory: name, status, counts, gates } of runs) {
      const factory = this.factories.label(name);
      this.runs.inc({ factory, status });
      if (isFinal(status)) continue;
      for (const [state, count] of Object.entries(counts ?? {})) this.blocks.inc({ state }, count);
      this.open.inc({ factory }, gates.length);
      this.overdue.inc({ factory }, gates.filter(({ overdue }) => overdue).length);
    }
    for (const [factory, openedAt] of this.longest(runs)) {
      this.oldest.set({ factory }, Math.max(0, (Date.now() - openedAt) / 1_000));
    }
    this.counted.set(at / 1_000);
  }

  /** When the gate opened that waits longest, of each factory that has one. */
  private longest(runs: Counted['runs']): Map<string, number> {
    const first = new Map<string, number>();
    for (const { factory: name, gates, status } of runs) {
      const factory = this.factories.label(name);
      if (isFinal(status)) continue;
      for (const { openedAt } of gates)
        first.set(factory, Math.min(openedAt, first.get(factory) ?? openedAt));
    }
    return first;
  }
}
