import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporalFor } from '../../../worker/temporal';
import { connectionTo } from '../../../worker/temporal/connection-settings';
import { removeFolder, temporaryFolder } from './fake-programs';
import { temporalSettings } from './settings';

let dataDir: string;
beforeEach(() => {
  dataDir = temporaryFolder();
});
afterEach(() => removeFolder(dataDir));

const connect = async (address: string) => {
  const answer = await temporalFor({
    ...{ dataDir, settings: temporalSettings({ TEMPORAL_ADDRESS: address }) },
    ...{ env: {}, say: () => undefined },
  });
  return answer._unsafeUnwrapErr();
};

describe('a TEMPORAL_ADDRESS that leads nowhere', () => {
  it.each([
    ['nothing listens', '127.0.0.1:1', 'Nothing listens at 127.0.0.1:1 (connection refused).'],
    [
      'the name is unknown',
      'no-such-host.invalid:7233',
      'The host name in "no-such-host.invalid:7233" does not resolve.',
    ],
    ['the port is no port', 'localhost:99999', '"localhost:99999" has no valid port.'],
    [
      'it is a URL',
      'http://localhost:7233',
      '"http://localhost:7233" is not the address of a Temporal server',
    ],
  ])('is named with the reason when %s', async (_what, address, sentence) => {
    const error = await connect(address);
    expect(error.code).toBe('TEMPORAL_AWAY');
    expect(error.message).toContain(sentence);
    expect(error.message).not.toContain('\n');
    expect(error.suggestion).toContain('TEMPORAL_ADDRESS');
    expect(error.details).toMatchObject({ address, namespace: 'default' });
  });

  it('is told apart from a server of another kind', async () => {
    const server = createServer((_request, response) => response.end('hello'));
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
    // An address of a TCP server is an object.
    const { port } = server.address() as AddressInfo;
    const error = await connect(`127.0.0.1:${port}`);
    server.closeAllConnections();
    server.close();
    expect(error.message).toBe(`Something answers at 127.0.0.1:${port}, but it is not a Temporal server.`);
  });
});

const settingsOf = (address: string, env: Record<string, string>) =>
  connectionTo(address, temporalSettings(env));

describe('credentials for a server of someone else', () => {
  it('are read from the variables of Temporal itself', () => {
    const settings = settingsOf('t.example:7233', {
      TEMPORAL_API_KEY: 'key',
      TEMPORAL_TLS_SERVER_NAME: 'inner',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: __filename,
    });
    expect(settings._unsafeUnwrap()).toMatchObject({
      address: 't.example:7233',
      apiKey: 'key',
      tls: { serverNameOverride: 'inner', serverRootCACertificate: expect.any(Buffer) },
    });
  });

  it('leave TLS to the SDK unless something is said about it', () => {
    expect(settingsOf('a', {})._unsafeUnwrap()).toEqual({ address: 'a' });
    expect(settingsOf('a', { TEMPORAL_TLS: 'true' })._unsafeUnwrap()).toEqual({
      address: 'a',
      tls: true,
    });
    expect(settingsOf('a', { TEMPORAL_TLS: 'false' })._unsafeUnwrap()).toEqual({
      address: 'a',
      tls: false,
    });
  });

  it('name the variable whose file cannot be read', () => {
    const missing = { TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(dataDir, 'nowhere.pem') };
    expect(settingsOf('a', missing)._unsafeUnwrapErr()).toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('TEMPORAL_TLS_SERVER_CA_CERT_PATH cannot be read'),
    });
  });
});
