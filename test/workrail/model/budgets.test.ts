import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as model from '../../../src/workrail/model';

const text = () => fc.string({ unit: 'binary', maxLength: 60 });
const trace = (entries: readonly { summary: string }[]): boolean =>
  model.DecisionTrace.safeParse({
    traceId: 't',
    entries: entries.map((one) => ({ kind: 'entered_loop', ...one })),
  }).success;
const blockers = (count: number, more: object = {}): boolean =>
  model.BlockerReport.safeParse({
    blockers: Array.from({ length: count }, () => ({
      ...{ code: 'INVARIANT_VIOLATION', pointer: { kind: 'context_budget' }, message: 'text' },
      ...more,
    })),
  }).success;

describe('a cut text', () => {
  it('[truncation-marker-format] ends with exactly the marker', () => {
    expect(model.truncateUtf8('x'.repeat(30), 20)).toBe('xxxxxxx\n\n[TRUNCATED]');
  });

  it('always fits, splits no character and begins as the text does', () => {
    fc.assert(
      fc.property(text(), fc.integer({ min: model.TRUNCATION_MARKER.length, max: 80 }), (whole, max) => {
        const cut = model.truncateUtf8(whole, max);
        expect(model.utf8Length(cut)).toBeLessThanOrEqual(max);
        const kept = cut === whole ? whole : cut.slice(0, -model.TRUNCATION_MARKER.length);
        expect(whole.startsWith(kept)).toBe(true);
        // A split pair would leave its first half at the end.
        expect(/[\ud800-\udbff]$/.test(kept) && !/[\ud800-\udbff]$/.test(whole)).toBe(false);
      }),
    );
  });

  it('is cut only when it does not fit, and then keeps as much as fits', () => {
    fc.assert(
      fc.property(text(), fc.integer({ min: model.TRUNCATION_MARKER.length, max: 80 }), (whole, max) => {
        const cut = model.truncateUtf8(whole, max);
        if (model.utf8Length(whole) <= max) expect(cut).toBe(whole);
        else expect(model.utf8Length(cut)).toBeGreaterThan(max - 4);
      }),
    );
  });
});

describe('a budget', () => {
  const notes = (notesMarkdown: string): boolean =>
    model.NotesPayload.safeParse({ payloadKind: 'notes', notesMarkdown }).success;

  it('[notes-markdown-budget] holds notes of 4096 UTF-8 bytes and not one more', () => {
    expect([
      notes('x'.repeat(4096)),
      notes('x'.repeat(4097)),
      notes('é'.repeat(2048)),
      notes('é'.repeat(2049)),
    ]).toEqual([...[true, false, true, false]]);
  });

  it('[decision-trace-bounded] holds 25 entries of 512 bytes, 8192 together', () => {
    const many = (count: number, bytes: number) =>
      trace(Array.from({ length: count }, () => ({ summary: 'x'.repeat(bytes) })));
    expect([many(25, 10), many(26, 10), many(1, 512), many(1, 513), many(16, 512), many(17, 512)]).toEqual([
      ...[true, false, true, false, true, false],
    ]);
  });

  it('[decision-trace-bounded] is always kept by entries that were cut to it, in their order', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 900 }), {
          minLength: 1,
          maxLength: 40,
        }),
        (all) => {
          const fitted = model.fitTrace(all.map((summary) => ({ kind: 'entered_loop', summary })));
          expect(trace(fitted)).toBe(true);
          expect(fitted).toHaveLength(Math.min(25, all.length));
        },
      ),
    );
  });

  it('[blocker-budget] holds 10 blockers with messages of 512 and fixes of 1024 bytes', () => {
    const sized = (field: string, bytes: number) => blockers(1, { [field]: 'x'.repeat(bytes) });
    expect([blockers(10), blockers(11), blockers(0)]).toEqual([true, false, false]);
    expect([
      sized('message', 512),
      sized('message', 513),
      sized('suggestedFix', 1024),
      sized('suggestedFix', 1025),
    ]).toEqual([...[true, false, true, false]]);
  });

  it('[budget-enforcement] counts bytes, not characters, wherever a schema bounds a text', () => {
    const two = 'é';
    expect([
      blockers(1, { message: two.repeat(257) }),
      trace([{ summary: two.repeat(257) }]),
      notes(two.repeat(2049)),
    ]).toEqual([...[false, false, false]]);
    expect(model.boundedSummary.safeParse(two.repeat(513)).success).toBe(false);
  });

  it('[context-budget-256kb] holds a context of 256 KB of canonical JSON, and says how much a larger one has', () => {
    const overhead = '{"k":""}'.length;
    const context = (bytes: number) => model.checkContext({ k: 'x'.repeat(bytes - overhead) });
    expect(context(256 * 1024).isOk()).toBe(true);
    expect(context(256 * 1024 + 1)).toMatchObject({
      error: { kind: 'too_large', bytes: 262_145, maxBytes: 262_144 },
    });
  });
});

describe('a context', () => {
  const round: { self?: unknown } = {};
  round.self = round;
  it.each([
    ['a function', { f: () => 1 }],
    ['undefined', { u: undefined }],
    ['a symbol', { s: Symbol('s') }],
    ['a circle', round],
    ['NaN', { n: NaN }],
    ['a date', { d: new Date(0) }],
    ['a list for a whole', []],
  ])('[context-json-only] is refused with %s', (_what, value) => {
    expect(model.checkContext(value).isErr()).toBe(true);
  });

  const plain = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,3}$/),
    fc.oneof(fc.integer(), fc.constant(null), fc.array(fc.integer())),
  );
  const stored = plain.map((all) =>
    Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)),
  );
  const merge = (a: object, b: object) => model.mergeContext(a as never, b as never)._unsafeUnwrap();

  it('keeps what a delta does not name, takes what it does and forgets what is null', () => {
    fc.assert(
      fc.property(stored, plain, (before, delta) => {
        const expected = Object.entries({ ...before, ...delta }).filter(([, value]) => value !== null);
        expect(merge(before, delta)).toEqual(Object.fromEntries(expected));
      }),
    );
  });

  it('is the same when a delta comes twice, and is not changed by an empty one', () => {
    fc.assert(
      fc.property(stored, plain, (before, delta) => {
        expect(merge(merge(before, delta), delta)).toEqual(merge(before, delta));
        expect(merge(before, {})).toEqual(before);
      }),
    );
  });

  it.each(['__proto__', 'constructor', 'prototype'])('takes no key %s', (key) => {
    const delta = JSON.parse(`{"${key}": 1}`) as object;
    expect(model.mergeContext({}, delta as never)).toMatchObject({ error: { kind: 'reserved_key', key } });
  });
});

describe('the outputs of one operation', () => {
  const artifact = fc.record({
    sha: fc.constantFrom('a', 'b', 'c'),
    type: fc.constantFrom('text/a', 'text/b'),
  });

  it('[output-ordering-deterministic] are the recap, then artifacts by digest and type, however they come', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(artifact, { selector: ({ sha, type }) => sha + type }),
        fc.nat(),
        (all, at) => {
          const outputs = all.map(({ sha, type }, i) => ({
            outputId: `o${i}`,
            outputChannel: 'artifact',
            payload: {
              payloadKind: 'artifact_ref',
              sha256: `sha256:${sha.repeat(64)}`,
              contentType: type,
              byteLength: 1,
            },
          }));
          outputs.splice(at % (outputs.length + 1), 0, {
            outputId: 'recap',
            outputChannel: 'recap',
            payload: { payloadKind: 'notes', notesMarkdown: 'x' },
          } as never);
          const order = model.orderOutputs(outputs as never);
          const keys = order
            .slice(1)
            .map(({ payload }) =>
              payload.payloadKind === 'artifact_ref' ? payload.sha256 + payload.contentType : '',
            );
          expect(order[0]?.outputId).toBe('recap');
          expect(keys).toEqual([...keys].sort());
        },
      ),
    );
  });
});
