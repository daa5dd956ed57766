interface Kept<T> {
  readonly value: T;
  readonly size: number;
}

/** The most recently used of many things, within a budget of their sizes. */
export class LogCache<T> {
  private readonly kept = new Map<string, Kept<T>>();
  private total = 0;

  constructor(
    private readonly budget: number,
    private readonly sizeOf: (value: T) => number,
  ) {}

  get(key: string): T | undefined {
    const found = this.kept.get(key);
    if (found === undefined) return undefined;
    // A map keeps the order of insertion: what is used goes to its end.
    this.kept.delete(key);
    this.kept.set(key, found);
    return found.value;
  }

  set(key: string, value: T): void {
    this.delete(key);
    const size = this.sizeOf(value);
    this.kept.set(key, { value, size });
    this.total += size;
    for (const oldest of this.kept.keys()) {
      // The newest stays, whatever its size.
      if (this.total <= this.budget || oldest === key) return;
      this.delete(oldest);
    }
  }

  delete(key: string): void {
    this.total -= this.kept.get(key)?.size ?? 0;
    this.kept.delete(key);
  }
}
