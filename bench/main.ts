/** `npm run bench -- <name> [--json]` */
import { factoryBench } from './factory';
import { floorBench } from './floor';
import { fsyncBench } from './fsync';
import { loadBench } from './load';
import { parkedBench } from './parked';
import { protocolBench } from './protocol';
import { type Line } from './report';
import { storeBench } from './store';

/** A benchmark: says how far it is by `note`, and yields its lines. */
type Bench = (note: (text: string) => void) => AsyncGenerator<Line>;

const BENCHES: Readonly<Record<string, { readonly about: string; readonly run: Bench }>> = {
  floor: {
    about: 'a bare Temporal workflow of 18 no-op activities, in the shape of the clone factory',
    run: floorBench,
  },
  fsync: { about: 'the three-fsync append of the locks, written by hand', run: fsyncBench },
  store: {
    about: 'the WorkRail store: appends, loads, resume over 1,000 sessions, export and import',
    run: storeBench,
  },
  protocol: {
    about: 'the tools of agents through a real client over stdio: start, advance, rehydrate, resume',
    run: protocolBench,
  },
  factory: { about: 'the clone factory with no-op skills, against floor', run: factoryBench },
  parked: { about: '1,000 runs that wait at a gate: worker memory for each', run: parkedBench },
  load: {
    about: 'the service under 200 streams, 100 reads/s and 20 runs at a time, for a minute',
    run: loadBench,
  },
};

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  const json = args.includes('--json');
  const names = args.filter((one) => !one.startsWith('-'));
  const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
  if (names.length === 0 || unknown.length > 0) {
    for (const name of unknown) process.stderr.write(`error: there is no benchmark "${name}"\n`);
    process.stderr.write('usage: npm run bench -- <name> [<name> …] [--json]\n\n');
    for (const [name, { about }] of Object.entries(BENCHES))
      process.stderr.write(`  ${name.padEnd(8)} ${about}\n`);
    process.exitCode = 2;
    return;
  }
  const note = (text: string): void => void process.stderr.write(`${text}\n`);
  for (const name of names) {
    const bench = BENCHES[name];
    if (!bench) continue;
    for await (const line of bench.run(note)) print(line, json);
  }
}

function print(line: Line, json: boolean): void {
  if (json) {
    process.stdout.write(`${JSON.stringify(line)}\n`);
    return;
  }
  const name = `${line.bench}: ${line.case}`.padEnd(44);
  const figures = figuresOf(line);
  process.stdout.write(`${name} n=${String(line.n).padEnd(5)} ${figures}, ratio ${line.ratio}\n`);
}

function figuresOf(line: Line): string {
  if ('p50_ms' in line)
    return `p50 ${line.p50_ms} ms, p95 ${line.p95_ms} ms, floor p50 ${line.floor_p50_ms} ms`;
  if ('per_s' in line) return `${line.per_s}/s, floor ${line.floor_per_s}/s`;
  return `${line.kb} KB each, floor ${line.floor_kb} KB`;
}

main().then(
  // The SDK's native side keeps threads; everything of ours has been stopped.
  () => process.exit(),
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exit(1);
  },
);
