/** Names of people's own making, as labels: only so many are told apart, since every one costs a time series. */
const MAX_NAMES = 100;
const REST = 'other';

export class BoundedNames {
  private readonly names = new Set<string>();

  constructor(private readonly max = MAX_NAMES) {}

  /** The name, or `other` for those that came when the set was full. */
  label(name: string): string {
    if (this.names.has(name)) return name;
    if (this.names.size >= this.max) return REST;
    this.names.add(name);
    return name;
  }
}
