import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createNoopRuntime } from '../../../activities';
import { sha256Digest } from '../../../src/canonical';
import { Caller } from '../caller';
import { factory, scripted } from '../../yard/templates';

/** What the runtime below writes everywhere. */
const TEXT = '{"noop":true}\n';
const DIGEST = sha256Digest(TEXT);
const page = scripted('page');
const template = factory([
  {
    ...page,
    outputs: {
      ...page.outputs,
      artifacts: [
        { key: 'text', path: '{{workspace}}/page.md', format: 'markdown' },
        { key: 'html', path: '{{workspace}}/page.html', format: 'html' },
        { key: 'site', path: '{{workspace}}/site/' },
      ],
    },
  },
]);

let caller: Caller;
let base: string;
beforeAll(async () => {
  caller = await Caller.open({ runtime: createNoopRuntime() });
  const run = await caller.yard.start(template);
  await caller.yard.untilStatus(run, 'completed');
  base = `/factory-run/${run}/artifact/page`;
});
afterAll(async () => {
  await caller.close();
  expect(caller.faults).toEqual([]);
});

const get = (path: string, headers: Record<string, string> = {}): Promise<Response> =>
  caller.fetch('GET', path, undefined, headers);

const code = async (answer: Response): Promise<[number, unknown]> => [
  answer.status,
  ((await answer.json()) as { code: unknown }).code,
];

describe('an artifact of a run', () => {
  it('is plain text where it is text, with its digest as the ETag', async () => {
    const answer = await get(`${base}/text`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-length': String(TEXT.length),
      'content-disposition': 'inline; filename="page.md"; filename*=UTF-8\'\'page.md',
      etag: `"${DIGEST}"`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringContaining('sandbox'),
      'accept-ranges': 'bytes',
    });
    expect(await answer.text()).toBe(TEXT);
  });

  it('is only offered for saving where a browser would run it', async () => {
    const answer = await get(`${base}/html`);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="page.html"/);
    expect(answer.headers.get('content-security-policy')).toContain('sandbox');
    expect(await answer.text()).toBe(TEXT);
  });

  it('is not sent to a caller that has it', async () => {
    const answer = await get(`${base}/text`, { 'if-none-match': `"${DIGEST}"` });
    expect([answer.status, await answer.text()]).toEqual([304, '']);
  });

  it('is sent in part, unless the part is of another version', async () => {
    const part = await get(`${base}/text`, { range: 'bytes=8-' });
    expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
      206,
      `bytes 8-${TEXT.length - 1}/${TEXT.length}`,
      TEXT.slice(8),
    ]);
    const whole = await get(`${base}/text`, { range: 'bytes=8-', 'if-range': '"sha256:00"' });
    expect([whole.status, await whole.text()]).toEqual([200, TEXT]);
  });

  it('has no bytes after its last', async () => {
    const answer = await get(`${base}/text`, { range: 'bytes=900-' });
    expect(answer.headers.get('content-range')).toBe(`bytes */${TEXT.length}`);
    expect(await code(answer)).toEqual([416, 'RANGE_NOT_SATISFIABLE']);
  });

  it('answers HEAD with its headers alone', async () => {
    const answer = await caller.fetch('HEAD', `${base}/text`);
    expect([answer.status, answer.headers.get('content-length'), answer.headers.get('etag')]).toEqual([
      200,
      String(TEXT.length),
      `"${DIGEST}"`,
    ]);
  });
});

describe('a directory', () => {
  it('is a listing, and its files are found by their paths', async () => {
    const listing = await get(`${base}/site`);
    expect(listing.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await listing.json()).toEqual({
      digest: listing.headers.get('etag')?.replaceAll('"', ''),
      files: [{ path: 'noop.json', digest: DIGEST, bytes: TEXT.length }],
    });
    const file = await get(`${base}/site/noop.json`);
    expect([file.headers.get('content-type'), await file.text()]).toEqual([
      'application/json; charset=utf-8',
      TEXT,
    ]);
  });

  it('has no file that is not in its listing', async () => {
    for (const path of ['nothing.txt', '', '..%2f..%2fpage.md', '%2e%2e/page.md', `${'a/'.repeat(300)}b`]) {
      expect((await get(`${base}/site/${path}`)).status).toBe(404);
    }
  });
});

describe('a digest', () => {
  it('is enough to get what has it, as bytes, for ever', async () => {
    const answer = await get(`/artifact/${DIGEST}`);
    expect(answer.headers.get('content-type')).toBe('application/octet-stream');
    expect(answer.headers.get('cache-control')).toContain('immutable');
    expect(await answer.text()).toBe(TEXT);
  });

  it('that is unknown, or none, is not found', async () => {
    for (const digest of [`sha256:${'0'.repeat(64)}`, 'sha256:00', '..%2fkey', 'x']) {
      expect(await code(await get(`/artifact/${digest}`))).toEqual([404, 'ARTIFACT_NOT_FOUND']);
    }
  });

  it('is read by nobody without a key', async () => {
    expect(await code(await get(`/artifact/${DIGEST}`, { authorization: '' }))).toEqual([
      401,
      'UNAUTHENTICATED',
    ]);
  });
});

describe('what is not there', () => {
  it('is said in the envelope', async () => {
    expect(await code(await get(`${base}/nothing`))).toEqual([404, 'ARTIFACT_NOT_FOUND']);
    expect(await code(await get(`${base}/text/file`))).toEqual([404, 'ARTIFACT_NOT_FOUND']);
    expect(await code(await get(base.replace('/page', '/nobody') + '/text'))).toEqual([
      404,
      'BLOCK_NOT_FOUND',
    ]);
    expect(await code(await get('/factory-run/none/artifact/page/text'))).toEqual([404, 'RUN_NOT_FOUND']);
  });
});
