import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Home } from './railyard';

let home: Home;
beforeEach(async () => {
  home = await Home.make();
});
afterEach(() => home.remove());

const workflow = (id: string): string =>
  JSON.stringify({ id, name: 'Mine', steps: [{ id: 'only', title: 'The step', prompt: 'Do it.' }] });

async function put(path: string, text: string): Promise<string> {
  const at = join(home.root, path);
  await mkdir(dirname(at), { recursive: true });
  await writeFile(at, text);
  return at;
}

describe('railyard workflow', () => {
  it('lists what can be started, and what cannot with its reason', async () => {
    await put('workflows/mine.json', workflow('Mine'));
    await put('workflows/broken.json', '{');
    await put('app/.railyard/workflows/ours.json', workflow('project.ours'));
    const app = join(home.root, 'app');
    const { workflows, problems } = await home.json<{
      workflows: { workflowId: string; suggestedId?: string }[];
      problems: object[];
    }>('workflow', 'list', '--project', app);
    expect(workflows.map(({ workflowId }) => workflowId)).toEqual([
      ...['Mine', 'project.ours', 'wr.bug_investigation', 'wr.change_review', 'wr.document_drafting'],
    ]);
    expect(workflows[0]?.suggestedId).toBe('user.mine');
    expect(problems).toMatchObject([{ source: 'user: broken.json' }]);
    const { code, out } = await home.run('workflow', 'list', '--project', app);
    expect(code).toBe(0);
    expect(out).toMatch(/^project\.ours +project +Mine$/m);
    expect(out).toMatch(/^unusable user: broken\.json: /m);
    expect(out).toContain('give it the id "user.mine"');
  });

  it('shows one with its steps', async () => {
    const shown = await home.json<{ stepCount: number; steps: object[] }>(
      'workflow',
      'inspect',
      'wr.bug_investigation',
    );
    expect([shown.stepCount, shown.steps.length]).toEqual([6, 6]);
    const { out } = await home.run('workflow', 'inspect', 'wr.bug_investigation');
    expect(out).toContain('judge  Is a cause proven? (in hypotheses)');
    const none = await home.run('workflow', 'inspect', 'wr.nothing');
    expect([none.code, none.err]).toEqual([4, expect.stringContaining('WORKFLOW_NOT_FOUND')]);
  });

  it('checks a file, and says everything that is wrong with it', async () => {
    const good = await put('mine.json', workflow('user.mine'));
    expect(await home.json('workflow', 'validate', good)).toMatchObject({
      ...{ valid: true, workflowId: 'user.mine', steps: 1, loops: 0 },
    });
    const bad = await put('bad.json', workflow('wr.mine').replace('"only"', '"Not Safe"'));
    const { code, err } = await home.run('workflow', 'validate', bad);
    expect(code).toBe(2);
    expect(err).toContain('reserved for bundled');
    expect(err).toContain('Use "not-safe".');
    expect((await home.run('workflow', 'validate', join(home.root, 'nothing.json'))).code).not.toBe(0);
  });

  it('takes no new workflow without a namespace, and suggests an id by where it lies', async () => {
    const [mine, ours] = [
      await put('workflows/old.json', workflow('old')),
      await put('ours.json', workflow('old')),
    ];
    expect((await home.run('workflow', 'validate', mine)).err).toContain('Use "user.old".');
    expect((await home.run('workflow', 'validate', ours)).err).toContain('Use "project.old".');
  });

  it.each([['workflow'], ['workflow', 'validate'], ['workflow', 'list'], ['workflow', 'inspect'], ['mcp']])(
    'explains itself: %s %s',
    async (...args) => {
      const { code, out } = await home.run(...args.filter((one) => typeof one === 'string'), '--help');
      expect([code, out]).toEqual([0, expect.stringContaining('Usage: railyard')]);
    },
  );
});
