import { describe, expect, it } from '@jest/globals';
import { Bundle, readEvent, readManifestRecord, readSnapshot } from '../../../src/workrail/model';
import { readCases, sorted, type Compared } from './vectors';

interface SchemaCase {
  readonly schema: string;
  readonly test: string;
  readonly input: unknown;
  readonly valid: boolean;
}

const ACCEPTS: Readonly<Record<string, (input: unknown) => boolean>> = {
  DomainEventV1Schema: (input) => readEvent(input).isOk(),
  ManifestRecordV1Schema: (input) => readManifestRecord(input).isOk(),
  ExecutionSnapshotFileV1Schema: (input) => readSnapshot(input).isOk(),
  ExportBundleV1Schema: (input) => Bundle.safeParse(input).success,
};

const NOT_OF_THE_SET = 'a kind beyond the closed set of the locks';
const NOT_COMPILED = 'its pinned workflows are not compiled workflows as the locks describe them';
const DOTTED = 'the locks allow no dot in a step id';

const cases = (readCases('schema-cases') as readonly SchemaCase[]).map(
  ({ schema, test, input, valid }, i): Compared => ({
    title: `${i} ${schema}: ${test}`,
    ours: () => ACCEPTS[schema]?.(input),
    theirs: valid,
  }),
);

describe('records as the reference judges them', () => {
  const { agreeing, differing, unknown } = sorted(cases, {
    12: NOT_OF_THE_SET,
    13: NOT_OF_THE_SET,
    90: 'missing_required_notes is not a detail of the locks: notes are a required output',
    102: DOTTED,
    137: DOTTED,
    138: NOT_COMPILED,
    145: NOT_COMPILED,
    146: NOT_COMPILED,
    150: NOT_COMPILED,
  });

  it.each(agreeing)('are judged alike: %s', (_title, one) => {
    expect(one.ours()).toBe(one.theirs);
  });

  it.each(differing)('differ in %s: %s', (_title, _reason, one) => {
    expect(one.ours()).not.toBe(one.theirs);
  });

  it('have every difference in their data', () => {
    expect(unknown).toEqual([]);
  });
});
