import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { checkCall, secretOf, signCall, WINDOW_MS } from '../../../api/webhooks/signature';

const STORE = 'the secret of the store';
const NOW = 1_800_000_000_000;
const AT = String(NOW / 1_000);
const webhook = { run: 'r1', path: '/expert-updated' };
const secret = secretOf(STORE, webhook);

const bytes = fc.uint8Array({ minLength: 1, maxLength: 200 }).map((array) => Buffer.from(array));

/** One bit of some bytes turned over. */
const flipped = (data: Buffer, place: number): Buffer => {
  const copy = Buffer.from(data);
  const at = place % (data.length * 8);
  copy.writeUInt8(copy.readUInt8(at >> 3) ^ (1 << (at & 7)), at >> 3);
  return copy;
};

describe('the signature of a call', () => {
  it('is the HMAC that anybody can compute who has the secret', () => {
    // printf '1800000000.r1./expert-updated.{}' | openssl dgst -sha256 -hmac secret
    expect(signCall('secret', AT, webhook, Buffer.from('{}'))).toBe(
      'v1=1eac75c883e6bcb2764e6e616286bfc20ae99ca222bd60b363b31aa1fb249966',
    );
  });

  it('is good for the very bytes that were signed', () => {
    fc.assert(
      fc.property(bytes, (body) => {
        const proof = { timestamp: AT, signature: signCall(secret, AT, webhook, body) };
        expect(checkCall(secret, proof, webhook, body, NOW).isOk()).toBe(true);
      }),
    );
  });

  it('is refused when any bit of the body or of itself is another', () => {
    fc.assert(
      fc.property(bytes, fc.nat(), (body, place) => {
        const signature = signCall(secret, AT, webhook, body);
        const proof = { timestamp: AT, signature };
        expect(checkCall(secret, proof, webhook, flipped(body, place), NOW).isErr()).toBe(true);
        const forged = `v1=${flipped(Buffer.from(signature.slice(3), 'hex'), place).toString('hex')}`;
        expect(checkCall(secret, { ...proof, signature: forged }, webhook, body, NOW).isErr()).toBe(true);
      }),
    );
  });

  it('is refused at another time, for another run, on another path and under another secret', () => {
    const body = Buffer.from('{}');
    const signature = signCall(secret, AT, webhook, body);
    const later = String(NOW / 1_000 + 1);
    const others = [
      checkCall(secret, { timestamp: later, signature }, webhook, body, NOW),
      checkCall(secret, { timestamp: `0${AT}`, signature }, webhook, body, NOW),
      checkCall(secret, { timestamp: AT, signature }, { ...webhook, run: 'r2' }, body, NOW),
      checkCall(secret, { timestamp: AT, signature }, { ...webhook, path: '/other' }, body, NOW),
      checkCall(secretOf('another', webhook), { timestamp: AT, signature }, webhook, body, NOW),
      checkCall(secretOf(STORE, { ...webhook, run: 'r2' }), { timestamp: AT, signature }, webhook, body, NOW),
    ];
    expect(others.filter((one) => one.isOk())).toEqual([]);
  });

  it('is good for five minutes each way, to the millisecond', () => {
    const body = Buffer.from('{}');
    const proof = { timestamp: AT, signature: signCall(secret, AT, webhook, body) };
    const at = (now: number): boolean => checkCall(secret, proof, webhook, body, now).isOk();
    expect([-WINDOW_MS - 1, -WINDOW_MS, 0, WINDOW_MS, WINDOW_MS + 1].map((by) => at(NOW + by))).toEqual([
      ...[false, true, true],
      ...[true, false],
    ]);
  });

  it('is refused without a throw whatever the headers are', () => {
    const header = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        undefined,
        [],
        ['v1=00'],
        'v1=',
        `v2=${'0'.repeat(64)}`,
        `v1=${'g'.repeat(64)}`,
        '-1',
        '1e9',
      ),
    );
    fc.assert(
      fc.property(header, header, (timestamp, signature) => {
        expect(checkCall(secret, { timestamp, signature }, webhook, Buffer.alloc(0), NOW).isErr()).toBe(true);
      }),
    );
  });

  it('names the call: the same one always by the same id, another one by another', () => {
    const idOf = (body: string, upper = false): string => {
      const signature = signCall(secret, AT, webhook, Buffer.from(body));
      const sent = upper ? `v1=${signature.slice(3).toUpperCase()}` : signature;
      return checkCall(
        secret,
        { timestamp: AT, signature: sent },
        webhook,
        Buffer.from(body),
        NOW,
      )._unsafeUnwrap().id;
    };
    expect(idOf('{}')).toBe(idOf('{}', true));
    expect(idOf('{}')).not.toBe(idOf('{} '));
  });
});
