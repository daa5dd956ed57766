import { readFileSync } from 'node:fs';
import { type TLSConfig } from '@temporalio/client';
import { err, ok, type Result } from 'neverthrow';
import { type Config } from '../../src/config';
import { problem, type RailyardError } from '../../src/errors';
import { reasonOf } from './ways';

/** How a Temporal server is found. */
export type TemporalSettings = Config['temporal'];

/** How to connect; fits `Connection` of the client and `NativeConnection` of the worker alike. */
export interface ConnectionSettings {
  readonly address: string;
  readonly apiKey?: string;
  readonly tls?: TLSConfig | boolean;
}

/** How to connect to a server of someone else. */
export function connectionTo(
  address: string,
  settings: TemporalSettings,
): Result<ConnectionSettings, RailyardError> {
  const tls = tlsOf(settings);
  if (tls.isErr()) return err(tls.error);
  return ok({
    address,
    ...(settings.api_key === null ? {} : { apiKey: settings.api_key }),
    ...(tls.value === null ? {} : { tls: tls.value }),
  });
}

/** Null: nothing is said about TLS, and the SDK decides (it is on with an API key). */
function tlsOf(settings: TemporalSettings): Result<TLSConfig | boolean | null, RailyardError> {
  if (settings.tls === false) return ok(false);
  const ca = fileOf('TEMPORAL_TLS_SERVER_CA_CERT_PATH', settings.tls_server_ca_cert_path);
  const crt = fileOf('TEMPORAL_TLS_CLIENT_CERT_PATH', settings.tls_client_cert_path);
  const key = fileOf('TEMPORAL_TLS_CLIENT_KEY_PATH', settings.tls_client_key_path);
  if (ca.isErr()) return err(ca.error);
  if (crt.isErr()) return err(crt.error);
  if (key.isErr()) return err(key.error);
  const serverName = settings.tls_server_name;
  const config: TLSConfig = {
    ...(serverName === null ? {} : { serverNameOverride: serverName }),
    ...(ca.value ? { serverRootCACertificate: ca.value } : {}),
    ...(crt.value && key.value ? { clientCertPair: { crt: crt.value, key: key.value } } : {}),
  };
  return ok(Object.keys(config).length > 0 ? config : settings.tls);
}

/** The file that a setting names; null where it is not set. */
function fileOf(variable: string, path: string | null): Result<Buffer | null, RailyardError> {
  if (path === null) return ok(null);
  try {
    return ok(readFileSync(path));
  } catch (error) {
    return err(problem('CONFIG_INVALID', `${variable} cannot be read: ${reasonOf(error)}.`));
  }
}
