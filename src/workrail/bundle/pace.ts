/** Long work in short turns: everybody else on the event loop gets theirs in between. */

/** About a millisecond or two of records. */
const RECORDS_A_TURN = 200;

export class Pace {
  #done = 0;

  /** To be awaited after each record. */
  async step(): Promise<void> {
    this.#done += 1;
    if (this.#done % RECORDS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
