/** Long work in short turns: everybody else on the event loop gets theirs in between. */

/** A few milliseconds of records: a turn that is given away costs one. */
const RECORDS_A_TURN = 500;

export class Pace {
  #done = 0;

  /** To be awaited after each record. */
  async step(): Promise<void> {
    this.#done += 1;
    if (this.#done % RECORDS_A_TURN === 0) await new Promise((resolve) => setTimeout(resolve, 0));
  }
}
