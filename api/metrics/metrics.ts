/** The metrics of one service, for Prometheus. Labels are words of ours, routes and names of factories: never a run's id. */
import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { type AttemptEnd } from '../../activities';
import { type Counted } from './census';
import { RunGauges } from './run-gauges';
import { StoreMetrics } from './store-metrics';

const SKILL_BUCKETS = [0.1, 0.5, 1, 5, 15, 60, 300, 900, 3_600, 14_400];
const HTTP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export interface MetricsOptions {
  /** Also memory, processor time and the event loop of this process. */
  readonly process?: boolean;
  /** What the Temporal SDK counts, in the text format of Prometheus. */
  readonly sdk?: () => Promise<string>;
}

/** An answered request. */
export interface AnsweredRequest {
  readonly method: string;
  /** As it was registered; `none` where there is no such route. */
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
}

export class Metrics {
  private readonly register = new Registry();
  private readonly runGauges = new RunGauges(this.register);
  private readonly attempts: Counter<'outcome' | 'type'>;
  private readonly attemptSeconds: Histogram<'outcome' | 'type'>;
  private readonly requestSeconds: Histogram<'method' | 'route' | 'status'>;
  /** Streams of events that are open. */
  readonly streams: Gauge;
  private storeMetrics: StoreMetrics | null = null;

  constructor(private readonly options: MetricsOptions = {}) {
    const registers = [this.register];
    this.attempts = new Counter({
      name: 'railyard_attempts_total',
      help: 'Executions of attempts that ended in this process, by outcome and type of block',
      ...{ labelNames: ['outcome', 'type'], registers },
    });
    this.attemptSeconds = new Histogram({
      name: 'railyard_attempt_duration_seconds',
      help: 'How long executions of attempts took',
      ...{ labelNames: ['outcome', 'type'], buckets: SKILL_BUCKETS, registers },
    });
    this.requestSeconds = new Histogram({
      name: 'railyard_http_request_duration_seconds',
      help: 'How long answers took; streams of events are not among them',
      ...{ labelNames: ['method', 'route', 'status'], buckets: HTTP_BUCKETS, registers },
    });
    this.streams = new Gauge({
      ...{ name: 'railyard_event_streams', help: 'Streams of events that are open', registers },
    });
    if (options.process) collectDefaultMetrics({ register: this.register });
  }

  readonly attemptEnded = ({ outcome, type, seconds }: AttemptEnd): void => {
    this.attempts.inc({ outcome, type });
    this.attemptSeconds.observe({ outcome, type }, seconds);
  };

  /** For the store that this service opens; a service without one has no such numbers. */
  get store(): StoreMetrics {
    return (this.storeMetrics ??= new StoreMetrics(this.register));
  }

  requestAnswered({ method, route, status, seconds }: AnsweredRequest): void {
    this.requestSeconds.observe({ method, route, status }, seconds);
  }

  runsCounted(counted: Counted): void {
    this.runGauges.show(counted);
  }

  /** The text that Prometheus reads. What the SDK does not give is left out. */
  async text(): Promise<string> {
    const [own, sdk] = await Promise.all([
      this.register.metrics(),
      this.options.sdk?.().catch(() => '') ?? '',
    ]);
    return sdk === '' ? own : `${own}\n${sdk}`;
  }

  get contentType(): string {
    return this.register.contentType;
  }
}
