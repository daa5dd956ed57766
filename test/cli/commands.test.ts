import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type RailyardError } from '../../src/errors';
import { type RunView } from '../../api/run-view';
import { factory, scripted } from '../yard/templates';
import { Home, WALKING } from './railyard';

let home: Home;
beforeAll(async () => {
  // The shared server: these tests are about commands.
  home = await Home.make({ TEMPORAL_ADDRESS: process.env.RAILYARD_TEST_TEMPORAL });
  await home.up();
});
afterAll(() => home.remove());

const COMMANDS = [
  'up',
  'run',
  'status',
  'approve',
  'reject',
  'pause',
  'resume',
  'cancel',
  'retry',
  'validate',
  'graph',
  'keys',
  'schedule',
  'trigger',
  'event',
  'webhooks',
];

describe('help', () => {
  it('lists every command and every variable', async () => {
    const { code, out } = await home.run('--help');
    expect(code).toBe(0);
    for (const word of [...COMMANDS, 'RAILYARD_HOME', 'TEMPORAL_ADDRESS']) expect(out).toContain(word);
  });

  it.each(COMMANDS)('of %s says how it is used', async (command) => {
    const { code, out } = await home.run(command, '--help');
    expect(code).toBe(0);
    expect(out).toContain(`Usage: railyard ${command}`);
  });

  it('is offered after a wrong word, with exit code 2', async () => {
    for (const args of [['rum'], ['run'], ['run', WALKING, '-p', 'nonsense'], ['up', '--port', 'x']]) {
      const { code, err } = await home.run(...args);
      expect(code).toBe(2);
      expect(err).toContain('--help');
    }
  });
});

describe('scripts', () => {
  it('get one JSON object from a run, and the exit code of how it ended', async () => {
    const template = join(home.root, 'quick.json');
    await writeFile(template, JSON.stringify(factory([scripted('a')])));
    const run = await home.json<RunView>('run', template, '--id', 'quick');
    expect(run).toMatchObject({ run_id: 'quick', status: 'completed' });
    await writeFile(
      template,
      JSON.stringify(factory([scripted('a', { script: [{ fail: 'x' }], execution: { max_retries: 0 } })])),
    );
    const failed = await home.run('run', template, '--json', '--id', 'fails');
    expect(failed.code).toBe(1);
    expect(JSON.parse(failed.out)).toMatchObject({ status: 'failed' });
    expect(await home.json('cancel', 'fails')).toMatchObject({ status: 'cancelled', changed: true });
  });

  it('get the error envelope', async () => {
    const { code, out } = await home.run('run', WALKING, '--json');
    expect(code).toBe(2);
    const { error } = JSON.parse(out) as { error: RailyardError };
    expect(error).toMatchObject({ code: 'PARAMETERS_MISSING', retry: { kind: 'not_retryable' } });
    expect(error.message).toContain('topic');
    expect((await home.run('status', 'nobody', '--json')).code).toBe(4);
    expect((await home.run('approve', 'quick', 'a', '--role', 'editor', '--json')).code).toBe(3);
  });
});

describe('a template', () => {
  it('is validated and drawn without a service', async () => {
    const alone = await Home.make();
    expect((await alone.run('validate', WALKING)).out).toContain(
      'valid: walking, 3 blocks, 1 groups, 1 gates',
    );
    expect((await alone.run('graph', WALKING)).out).toContain('flowchart TD');
    expect((await alone.run('graph', WALKING, '-f', 'dot')).out).toContain('digraph "walking"');
    await alone.remove();
  });
});

describe('webhooks', () => {
  it('are shown with their address and secret, and called as the example says', async () => {
    const template = join(home.root, 'hook.json');
    const hook = { ...scripted('a'), trigger: { type: 'webhook', webhook: '/in/a' } };
    await writeFile(template, JSON.stringify({ ...factory([]), blocks: [hook] }));
    await home.run('run', template, '--id', 'cli-hook', '-d');
    const { out } = await home.run('webhooks', 'cli-hook');
    const { webhooks } = await home.json<{ webhooks: { url: string; secret: string }[] }>(
      'webhooks',
      'cli-hook',
    );
    const { url } = await home.endpoint();
    expect(webhooks).toMatchObject([{ url: `${url}/api/a360/factory-run/cli-hook/webhook/in/a` }]);
    expect(out).toContain(webhooks[0]?.secret);
    const example = out.slice(out.indexOf('body='));
    const called = await promisify(execFile)('sh', ['-c', example]);
    expect(JSON.parse(called.stdout)).toMatchObject({ kind: 'trigger', triggered: ['a'] });
    expect((await home.run('webhooks', 'quick')).out).toContain('No block of quick has a webhook.');
    expect((await home.run('webhooks', 'nobody')).code).toBe(4);
  });
});

describe('records', () => {
  it('are counted by state in the status of their block', async () => {
    const template = join(home.root, 'records.json');
    const records = [
      { id: 'm1', state: 'draft' },
      { id: 'm2', state: 'final' },
      { id: 'm3', state: 'final' },
    ];
    await writeFile(template, JSON.stringify(factory([scripted('a', { script: [{ records }] })])));
    await home.run('run', template, '--id', 'cli-records');
    expect((await home.run('status', 'cli-records')).out).toContain('records: 1 draft, 2 final');
  });
});

describe('two runs', () => {
  it('do not share a workspace while the first one is not over', async () => {
    const template = join(home.root, 'hang.json');
    const workspace = join(home.root, 'shared');
    await writeFile(template, JSON.stringify(factory([scripted('a', { script: [{ hang: true }] })])));
    const start = (id: string, folder: string) => home.run('run', template, '--id', id, '-d', '-w', folder);
    expect((await start('cli-owner', workspace)).code).toBe(0);
    const refused = await start('cli-guest', join(workspace, 'below'));
    expect(refused.code).toBe(3);
    expect(refused.err).toContain('railyard cancel cli-owner');
    expect((await home.run('cancel', 'cli-owner', '--reason', 'enough')).code).toBe(0);
    const ended = await home.run('status', 'cli-owner');
    expect(ended.out).toMatch(/cli-owner {2}cancell(ing|ed): Cancelled by .*: enough/);
  });
});
