/** Conditional requests for content that has a digest: the digest is a strong ETag. */

/** The ETag of a digest. */
export const etagOf = (digest: string): string => `"${digest}"`;

/** Does an `If-None-Match` name what the caller would get? Then it has it already. */
export function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  const named = (ifNoneMatch ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''));
  return named.includes('*') || named.includes(etag);
}

/** Does the `Range` count? Not where an `If-Range` says that the caller's part is of something else. */
export const isSame = (ifRange: string | undefined, etag: string): boolean =>
  ifRange === undefined || ifRange.trim() === etag;
