import { readFileSync } from 'node:fs';
import { type TLSConfig } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { reasonOf, type Env } from './ways';

/** How to connect; fits `Connection` of the client and `NativeConnection` of the worker alike. */
export interface ConnectionSettings {
  readonly address: string;
  readonly apiKey?: string;
  readonly tls?: TLSConfig | boolean;
}

/** The settings for a server of someone else, by the variables that Temporal's own tools read. */
export function settingsFromEnv(address: string, env: Env): Result<ConnectionSettings, RailyardError> {
  const apiKey = env.TEMPORAL_API_KEY;
  const tls = tlsFromEnv(env);
  if (tls.isErr()) return err(tls.error);
  return ok({
    address,
    ...(apiKey ? { apiKey } : {}),
    ...(tls.value === null ? {} : { tls: tls.value }),
  });
}

/** Null: nothing is said about TLS, and the SDK decides (it is on with an API key). */
function tlsFromEnv(env: Env): Result<TLSConfig | boolean | null, RailyardError> {
  const wish = env.TEMPORAL_TLS?.toLowerCase();
  if (wish === 'false' || wish === '0') return ok(false);
  const serverName = env.TEMPORAL_TLS_SERVER_NAME;
  const ca = fileOf('TEMPORAL_TLS_SERVER_CA_CERT_PATH', env);
  const crt = fileOf('TEMPORAL_TLS_CLIENT_CERT_PATH', env);
  const key = fileOf('TEMPORAL_TLS_CLIENT_KEY_PATH', env);
  if (ca.isErr()) return err(ca.error);
  if (crt.isErr()) return err(crt.error);
  if (key.isErr()) return err(key.error);
  if ((crt.value === null) !== (key.value === null)) {
    const message = 'TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH must be set together.';
    return err(problem('CONFIG_INVALID', message));
  }
  const config: TLSConfig = {
    ...(serverName ? { serverNameOverride: serverName } : {}),
    ...(ca.value ? { serverRootCACertificate: ca.value } : {}),
    ...(crt.value && key.value ? { clientCertPair: { crt: crt.value, key: key.value } } : {}),
  };
  if (Object.keys(config).length > 0) return ok(config);
  return ok(wish === 'true' || wish === '1' ? true : null);
}

/** The file a variable names; null where it is not set. */
function fileOf(variable: string, env: Env): Result<Buffer | null, RailyardError> {
  const path = env[variable];
  if (!path) return ok(null);
  try {
    return ok(readFileSync(path));
  } catch (error) {
    return err(problem('CONFIG_INVALID', `${variable} cannot be read: ${reasonOf(error)}.`));
  }
}
