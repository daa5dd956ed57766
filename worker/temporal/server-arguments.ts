/** The database, in the data directory. */
export const DATABASE_FILE = 'temporal.db';

/**
 * Settings of the server that differ from its defaults, which are made for clusters of many shards and users.
 * The dev server has one shard: with the default of 20 polls a second every wave of blocks waits about 50 ms.
 * The limits are per run, where a large factory with many people at its gates would meet them.
 */
const DYNAMIC_CONFIG: Readonly<Record<string, number>> = {
  'history.transferProcessorMaxPollRPS': 1000,
  'history.timerProcessorMaxPollRPS': 200,
  'history.maxInFlightUpdates': 1000,
  'history.maxTotalUpdates': 100_000,
  'limit.numPendingActivities.error': 10_000,
};

/** The command line of a dev server that runs in its data directory. */
export function serverArguments(port: number, namespace: string): string[] {
  return [
    ...['server', 'start-dev', '--headless', '--ip', '127.0.0.1', '--port', String(port)],
    // Relative to the working directory: the program puts the name into a URL, where a path with a "?" breaks it.
    ...['--db-filename', DATABASE_FILE, '--sqlite-pragma', 'journal_mode=WAL'],
    ...['--namespace', namespace, '--log-level', 'warn'],
    ...Object.entries(DYNAMIC_CONFIG).flatMap(([key, value]) => [
      '--dynamic-config-value',
      `${key}=${value}`,
    ]),
  ];
}
