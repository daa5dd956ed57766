/** A few values that never change, by their address: the most recently used are kept. */
export class Recent<K, V> {
  readonly #kept = new Map<K, V>();

  constructor(private readonly max: number) {}

  get(key: K): V | undefined {
    const value = this.#kept.get(key);
    // A map keeps the order of insertion: what is used goes to its end.
    if (value !== undefined) this.set(key, value);
    return value;
  }

  set(key: K, value: V): void {
    this.#kept.delete(key);
    this.#kept.set(key, value);
    for (const oldest of this.#kept.keys()) {
      if (this.#kept.size <= this.max) return;
      this.#kept.delete(oldest);
    }
  }
}
