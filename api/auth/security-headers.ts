/**
 * Headers of every answer. What the service sends is data: no browser is to run it, frame it, guess at its type or tell others
 * where it came from. No CORS header is among them: unless the settings name their origins, other pages read nothing.
 */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};
