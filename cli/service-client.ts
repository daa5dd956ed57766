/** The HTTP client of the commands. */
import { err, ok, type Result } from 'neverthrow';
import { ERRORS, problem, type ErrorCode, type RailyardError } from '../src/errors';
import { homeRoot, readEndpoint } from '../src/home';
import { person } from './person';

/** Longer than any answer of the service takes; a service that hangs is away. */
const TIMEOUT_MS = 30_000;

/** How the local key of a data directory begins. */
const LOCAL_KEY = 'ry_';

export class ServiceClient {
  constructor(
    readonly url: string,
    private readonly key: string,
  ) {}

  /** Whom a request is made for: a key of one's own speaks for itself, the local one for whoever is at the keyboard. */
  speaker(as: string | undefined): string | undefined {
    return as ?? (this.key.startsWith(LOCAL_KEY) ? person() : undefined);
  }

  get<T>(path: string): Promise<Result<T, RailyardError>> {
    return this.call<T>('GET', path, undefined);
  }

  post<T>(path: string, body: unknown): Promise<Result<T, RailyardError>> {
    return this.call<T>('POST', path, body);
  }

  delete<T>(path: string): Promise<Result<T, RailyardError>> {
    return this.call<T>('DELETE', path, undefined);
  }

  private async call<T>(method: string, path: string, body: unknown): Promise<Result<T, RailyardError>> {
    let response: Response;
    let text: string;
    try {
      response = await fetch(new URL(`/api/a360${path}`, this.url), {
        method,
        headers: {
          authorization: `Bearer ${this.key}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      text = await response.text();
    } catch {
      return err(problem('SERVICE_AWAY', `No Railyard service answers at ${this.url}.`));
    }
    const value = parse(text);
    // The service is the same program; what it answers has the shape its routes promise.
    if (response.ok) return ok(value as T);
    if (isEnvelope(value)) return err(value);
    return err(
      problem('SERVICE_AWAY', `What answers at ${this.url} is not Railyard (HTTP ${response.status}).`),
    );
  }
}

/** The service this command is about: RAILYARD_URL and RAILYARD_KEY, else the one of the data directory. */
export async function findService(env: NodeJS.ProcessEnv): Promise<Result<ServiceClient, RailyardError>> {
  const known = await readEndpoint(homeRoot(env));
  const url = env.RAILYARD_URL ?? known?.url;
  const key = env.RAILYARD_KEY ?? known?.key;
  if (url === undefined) {
    return err(problem('SERVICE_AWAY', `No Railyard service is running on ${homeRoot(env)}.`));
  }
  if (!URL.canParse(url)) return err(problem('CONFIG_INVALID', `RAILYARD_URL is not a URL: "${url}".`));
  if (key === undefined) {
    return err(
      problem('UNAUTHENTICATED', `There is no key for the service at ${url}.`, {
        suggestion: 'Set RAILYARD_KEY to the key that `railyard up` printed.',
      }),
    );
  }
  return ok(new ServiceClient(url, key));
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isEnvelope(value: unknown): value is RailyardError {
  if (typeof value !== 'object' || value === null || !('code' in value) || !('message' in value))
    return false;
  return typeof value.code === 'string' && value.code in ERRORS && isErrorCode(value.code);
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);
