import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ERRORS, problem, type ErrorCode, type ErrorKind } from '../../../src/errors';
import * as model from '../../../src/workrail/model';

// The table's keys are exactly its codes.
const codes = Object.keys(ERRORS) as ErrorCode[];

describe('an error', () => {
  it.each(codes)(
    '[error-envelope-shape] %s is an envelope of code, message, suggestion and retry',
    (code) => {
      expect(Object.keys(problem(code, 'What is wrong.')).sort()).toEqual([
        'code',
        'message',
        'retry',
        'suggestion',
      ]);
      expect(problem(code, 'x', { details: { a: 1 } }).details).toEqual({ a: 1 });
    },
  );

  it.each(codes)('[error-retry-via-field] %s says by its field alone whether to try again', (code) => {
    const { retry }: ErrorKind = ERRORS[code];
    expect(['not_retryable', 'retryable_immediate', 'retryable_after_ms']).toContain(retry.kind);
    if (retry.kind === 'retryable_after_ms') expect(retry.afterMs).toBeGreaterThan(0);
  });

  it.each(codes)('[error-self-correcting] %s says what to do next', (code) => {
    expect(problem(code, 'x').suggestion).toMatch(/\w+.*\./);
  });

  it('[token-validation-errors-closed-set] of a token is one of the seven of the locks', () => {
    expect(codes.filter((code) => code.startsWith('TOKEN_')).sort()).toEqual([
      ...['TOKEN_BAD_SIGNATURE', 'TOKEN_INVALID_FORMAT', 'TOKEN_SCOPE_MISMATCH', 'TOKEN_SESSION_LOCKED'],
      ...['TOKEN_UNKNOWN_NODE', 'TOKEN_UNSUPPORTED_VERSION', 'TOKEN_WORKFLOW_HASH_MISMATCH'],
    ]);
  });
});

describe('a code of the store, of bundles and of tokens', () => {
  const TESTS = join(__dirname, '..', '..');
  const texts = readdirSync(TESTS, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts') && !name.endsWith(join('model', 'errors.test.ts')))
    .map((name) => readFileSync(join(TESTS, name), 'utf8'));

  it.each(codes.filter((code) => /^(SESSION|STORE|BUNDLE|TOKEN)_/.test(code)))(
    '%s is expected by a test',
    (code) => {
      const expected = new RegExp(`'${code}'`);
      expect(texts.some((text) => expected.test(text))).toBe(true);
    },
  );
});

describe('reading a record', () => {
  const NO_RECORDS: unknown[] = [
    null,
    undefined,
    1,
    'text',
    [],
    {},
    { v: 'one' },
    { v: 1 },
    { enginePayload: null },
    () => 1,
  ];

  it.each([
    ['an event', model.readEvent],
    ['a manifest record', model.readManifestRecord],
    ['a snapshot', model.readSnapshot],
    ['a compiled workflow', model.readCompiledWorkflow],
  ])('[errors-as-data] that is not %s answers with what is wrong and throws nothing', (_what, read) => {
    for (const value of NO_RECORDS) expect(read(value).isErr()).toBe(true);
  });
});
