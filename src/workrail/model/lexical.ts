/** Ascending order by code units: the same on every machine, unlike the locale's. */
export const byCodeUnits = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
