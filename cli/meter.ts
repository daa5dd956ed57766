/** How far long work is, on one line of stderr that is gone in the end. Only a person at a terminal sees it. */

/** Often enough to look alive. */
const INTERVAL_MS = 100;

export class Meter {
  private shownAt = 0;
  private isShown = false;

  constructor(
    private readonly what: string,
    private readonly out: Pick<NodeJS.WriteStream, 'isTTY' | 'write'> = process.stderr,
  ) {}

  /** So much is done; of how much, where that is known. */
  readonly at = (done: number, total?: number): void => {
    const now = Date.now();
    if (!this.out.isTTY || now - this.shownAt < INTERVAL_MS) return;
    this.shownAt = now;
    this.isShown = true;
    this.out.write(`\r\u001b[K${this.what}: ${done}${total === undefined ? '' : ` of ${total}`}`);
  };

  /** Take the line away. */
  end(): void {
    if (this.isShown) this.out.write('\r\u001b[K');
    this.isShown = false;
  }
}

/** Do something with a meter, and take its line away whatever comes of it. */
export async function metered<T>(what: string, work: (at: Meter['at']) => Promise<T>): Promise<T> {
  const meter = new Meter(what);
  try {
    return await work(meter.at);
  } finally {
    meter.end();
  }
}
