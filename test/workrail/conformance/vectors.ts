/** The conformance data in test/vectors, and how a case is held against what we do. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A recorded call of the reference. */
export interface Call {
  readonly fn: string;
  readonly test: string;
  readonly args: readonly unknown[];
  readonly expected: unknown;
}

/** The cases of a file: data of our own repository; an adapter that meets another shape fails its case. */
export function readCases(name: string): readonly unknown[] {
  const path = join(__dirname, '..', '..', 'vectors', `${name}.json`);
  return (JSON.parse(readFileSync(path, 'utf8')) as { cases: unknown[] }).cases;
}

/** The same, of a file of recorded calls. */
export const readCalls = (name: string): readonly Call[] => readCases(name) as readonly Call[];

/** A case, what we do with it, and what the reference did. */
export interface Compared {
  readonly title: string;
  readonly ours: () => unknown;
  readonly theirs: unknown;
}

/** The place in the file makes a title unique. */
export const titleOf = ({ fn, test }: Call, place: number): string =>
  `${place} ${fn}: ${test.split(' > ').slice(1).join(' > ')}`;

/** Cases that have to agree, cases that are known to differ (by their place, with the reason), and places of no case. */
export function sorted(cases: readonly Compared[], differences: Readonly<Record<string, string>>) {
  const placeOf = ({ title }: Compared): string => title.split(' ')[0] ?? '';
  return {
    agreeing: cases
      .filter((one) => !(placeOf(one) in differences))
      .map((one): [string, Compared] => [one.title, one]),
    differing: cases
      .filter((one) => placeOf(one) in differences)
      .map((one): [string, string, Compared] => [one.title, differences[placeOf(one)] ?? '', one]),
    unknown: Object.keys(differences).filter((place) => !cases.some((one) => placeOf(one) === place)),
  };
}
