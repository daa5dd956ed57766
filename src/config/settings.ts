/**
 * Every setting of the service, once: what it is, which values it takes, what it is without a word from anybody, and the
 * environment variable that sets it. The configuration file, the environment, `railyard config` and the reference page
 * follow this table.
 */
import { z } from 'zod';

/** What is known of a setting beside its values. */
export interface About {
  /** The environment variable. */
  readonly env: string;
  /** What it is, as a sentence. */
  readonly says: string;
  /** A path, or a list of them: one in the file is relative to the file. */
  readonly path?: true;
  /** Of a list in the environment; a comma where nothing is said. */
  readonly separator?: string;
  /** Never shown. */
  readonly secret?: true;
}

/** What is known of each setting. */
export const ABOUT = z.registry<About>();

/** A setting. */
function key<Schema extends z.ZodType>(schema: Schema, about: About): Schema {
  ABOUT.add(schema, about);
  return schema;
}

const KB = 1024;
const MB = 1024 * KB;
const GB = 1024 * MB;
const text = (): z.ZodDefault<z.ZodNullable<z.ZodString>> =>
  z.string().trim().min(1).nullable().default(null);
const list = (): z.ZodDefault<z.ZodArray<z.ZodString>> => z.array(z.string().trim().min(1)).default([]);
const whole = (from: number, to: number, otherwise: number): z.ZodDefault<z.ZodNumber> =>
  z.number().int().min(from).max(to).default(otherwise);
const rate = (otherwise: number): z.ZodDefault<z.ZodNumber> =>
  z.number().positive().max(1e6).default(otherwise);
const onOff = (): z.ZodDefault<z.ZodBoolean> => z.boolean().default(false);

const http = z.strictObject({
  host: key(z.string().trim().min(1).default('127.0.0.1'), {
    env: 'RAILYARD_HTTP_HOST',
    says: 'Address that the HTTP API listens on; 0.0.0.0 is every one of the machine.',
  }),
  port: key(whole(0, 65_535, 7360), {
    env: 'RAILYARD_HTTP_PORT',
    says: 'Port of the HTTP API; 0 takes any free one.',
  }),
  body_limit_bytes: key(whole(KB, 256 * MB, 8 * MB), {
    env: 'RAILYARD_HTTP_BODY_LIMIT_BYTES',
    says: 'The longest body of a request; a template of a thousand blocks has about 2 MB.',
  }),
  import_limit_bytes: key(whole(KB, 1024 * GB, GB), {
    env: 'RAILYARD_HTTP_IMPORT_LIMIT_BYTES',
    says: 'The longest bundle that may be sent to be imported; it is received on disk, in the data directory.',
  }),
  cors_origins: key(
    z
      .array(z.string().refine(isOrigin, { error: 'This is no origin, such as https://app.example.org' }))
      .default([]),
    {
      env: 'RAILYARD_HTTP_CORS_ORIGINS',
      says: 'Origins whose pages may call the API from a browser, each such as https://app.example.org. None: no CORS.',
    },
  ),
});

const limits = z.strictObject({
  caller_per_second: key(rate(100), {
    env: 'RAILYARD_LIMITS_CALLER_PER_SECOND',
    says: 'Requests a second of one caller with a key or a token.',
  }),
  caller_burst: key(whole(1, 1e6, 200), {
    env: 'RAILYARD_LIMITS_CALLER_BURST',
    says: 'How many of them may come at once.',
  }),
  stranger_per_second: key(rate(5), {
    env: 'RAILYARD_LIMITS_STRANGER_PER_SECOND',
    says: 'Requests a second of one address without a good key, and to what is open to anyone.',
  }),
  stranger_burst: key(whole(1, 1e6, 50), {
    env: 'RAILYARD_LIMITS_STRANGER_BURST',
    says: 'How many of them may come at once.',
  }),
});

const metrics = z.strictObject({
  open: key(onOff(), {
    env: 'RAILYARD_METRICS_OPEN',
    says: 'Serve /metrics without a key, to whoever reaches the port. Otherwise it takes a key with any role.',
  }),
});

const health = z.strictObject({
  free_disk_bytes: key(whole(0, Number.MAX_SAFE_INTEGER, 100 * MB), {
    env: 'RAILYARD_HEALTH_FREE_DISK_BYTES',
    says: 'With less free space where the data directory is, /readyz says that the disk is full.',
  }),
});

/** From the most to the least. */
export const LOG_LEVELS = ['debug', 'info', 'warn', 'error'] as const;

const log = z.strictObject({
  level: key(z.enum(LOG_LEVELS).default('info'), {
    env: 'RAILYARD_LOG_LEVEL',
    says: 'The least important thing that is logged: debug, info, warn or error.',
  }),
  stdout: key(onOff(), {
    env: 'RAILYARD_LOG_STDOUT',
    says: 'Log to standard output instead of the file, for containers; what is otherwise printed goes to standard error.',
  }),
  max_bytes: key(whole(64 * KB, 10_000 * MB, 10 * MB), {
    env: 'RAILYARD_LOG_MAX_BYTES',
    says: 'A log file that grows beyond this is set aside as railyard.log.old; one such file is kept.',
  }),
});

const worker = z.strictObject({
  slots: key(whole(1, 1_000, 16), {
    env: 'RAILYARD_SLOTS',
    says: 'How many skills may run at once on this host, across runs.',
  }),
  skills: key(list(), {
    env: 'RAILYARD_SKILLS',
    says: 'Folders with skills, looked at before the ones that come with Railyard.',
    path: true,
    separator: process.platform === 'win32' ? ';' : ':',
  }),
  env_allow: key(list(), {
    env: 'RAILYARD_ENV_ALLOW',
    says: 'Environment variables that blocks may ask for in `inputs.env`.',
  }),
});

const shutdown = z.strictObject({
  grace_seconds: key(whole(0, 600, 20), {
    env: 'RAILYARD_SHUTDOWN_GRACE_SECONDS',
    says: 'After a signal to stop: how long answers under way may take, and then how long skills may take to end.',
  }),
});

const tokens = z
  .strictObject({
    jwks_url: key(z.string().refine(isSafeUrl, { error: 'This is no https URL' }).nullable().default(null), {
      env: 'RAILYARD_JWKS_URL',
      says: "The issuer's public keys: an https URL, or http on this machine.",
    }),
    jwks_file: key(text(), { env: 'RAILYARD_JWKS_FILE', says: 'The same, in a file.', path: true }),
    issuer: key(text(), {
      env: 'RAILYARD_JWT_ISSUER',
      says: 'What `iss` of a token must be, to the letter.',
    }),
    audience: key(text(), {
      env: 'RAILYARD_JWT_AUDIENCE',
      says: 'What `aud` of a token must be, or have among others.',
    }),
    name_claim: key(z.string().min(1).default('sub'), {
      env: 'RAILYARD_JWT_NAME_CLAIM',
      says: "The claim with the caller's name.",
    }),
    roles_claim: key(z.string().min(1).default('roles'), {
      env: 'RAILYARD_JWT_ROLES_CLAIM',
      says: 'The claim with the roles, a list or words in one text.',
    }),
  })
  .superRefine(({ jwks_url: url, jwks_file: file, issuer, audience }, context) => {
    const say = (message: string, fix: string): void =>
      context.addIssue({ code: 'custom', message, params: { fix } });
    const [hasKeys, named] = [url !== null || file !== null, issuer !== null || audience !== null];
    if (url !== null && file !== null) {
      say(
        'Both jwks_url (RAILYARD_JWKS_URL) and jwks_file (RAILYARD_JWKS_FILE) are set.',
        'Say one of them.',
      );
    }
    if (!hasKeys && named) {
      say('Tokens need the keys of their issuer.', 'Set jwks_url (RAILYARD_JWKS_URL) or jwks_file.');
    }
    // A token of another service, or for another one, must not open this one.
    if (hasKeys && (issuer === null || audience === null)) {
      const fix = 'Set issuer (RAILYARD_JWT_ISSUER) and audience (RAILYARD_JWT_AUDIENCE).';
      say('Tokens need an issuer and an audience.', fix);
    }
  });

const temporal = z
  .strictObject({
    address: key(text(), {
      env: 'TEMPORAL_ADDRESS',
      says: 'A Temporal server to use, as host:port. Not set: one is started on the data directory.',
    }),
    namespace: key(z.string().trim().min(1).default('default'), {
      env: 'TEMPORAL_NAMESPACE',
      says: 'The namespace to use there.',
    }),
    cli: key(text(), {
      env: 'TEMPORAL_CLI',
      says: 'The Temporal program to start. Not set: it is found or fetched.',
      path: true,
    }),
    api_key: key(text(), {
      env: 'TEMPORAL_API_KEY',
      says: 'The key for a Temporal server that asks for one.',
      secret: true,
    }),
    tls: key(z.boolean().nullable().default(null), {
      env: 'TEMPORAL_TLS',
      says: 'TLS to the Temporal server, true or false. Not set: as the settings below and the API key ask for.',
    }),
    tls_server_name: key(text(), {
      env: 'TEMPORAL_TLS_SERVER_NAME',
      says: 'The name in the certificate of the server, where it is not that of the address.',
    }),
    tls_server_ca_cert_path: key(text(), {
      env: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH',
      says: 'A file with the certificate of the authority of the server.',
      path: true,
    }),
    tls_client_cert_path: key(text(), {
      env: 'TEMPORAL_TLS_CLIENT_CERT_PATH',
      says: 'A file with our certificate.',
      path: true,
    }),
    tls_client_key_path: key(text(), {
      env: 'TEMPORAL_TLS_CLIENT_KEY_PATH',
      says: 'A file with the key of our certificate.',
      path: true,
    }),
  })
  .superRefine(({ tls_client_cert_path: cert, tls_client_key_path: secret }, context) => {
    if ((cert === null) === (secret === null)) return;
    const message = 'Of tls_client_cert_path and tls_client_key_path only one is set.';
    const fix = 'Set TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH together.';
    context.addIssue({ code: 'custom', message, params: { fix } });
  });

/** The whole configuration: groups of settings. */
export const Settings = z.strictObject({
  ...{ http, limits, metrics, health, log, worker, shutdown, tokens, temporal },
});

/** The configuration of a service, with nothing left open. */
export type Config = z.output<typeof Settings>;

function isOrigin(value: string): boolean {
  return URL.canParse(value) && new URL(value).origin === value && /^https?:/.test(value);
}

/** Whoever can change the keys on their way could sign tokens. */
function isSafeUrl(value: string): boolean {
  const url = URL.canParse(value) ? new URL(value) : null;
  const local = ['localhost', '127.0.0.1', '[::1]'];
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && local.includes(url.hostname));
}
