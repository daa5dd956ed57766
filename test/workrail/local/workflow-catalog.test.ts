import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FolderCatalog, workflowFolders, type WorkflowFolder } from '../../../src/workrail/local';

let root: string;
let folders: WorkflowFolder[];
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'railyard-catalog-'));
  folders = (['bundled', 'project', 'user'] as const).map((sourceKind) => ({
    sourceKind,
    path: join(root, sourceKind),
  }));
});
afterEach(() => rm(root, { recursive: true, force: true }));

const workflow = (id: string, name = id): string =>
  JSON.stringify({ id, name, steps: [{ id: 'only', title: 'The step', prompt: 'Do it.' }] });

async function put(path: string, text: string | Uint8Array): Promise<void> {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), text);
}

async function shelf(catalog = new FolderCatalog(folders)) {
  const { known, unusable } = (await catalog.list())._unsafeUnwrap();
  return {
    known: known.map(
      ({ identity, sourceKind, sourceRef }) => `${identity.workflowId} ${sourceKind} ${sourceRef}`,
    ),
    unusable: unusable.map(({ source, problem }) => `${source} ${problem.code}`),
  };
}

describe('the catalog of workflows', () => {
  it('is empty where the folders are not there', async () => {
    expect(await shelf()).toEqual({ known: [], unusable: [] });
  });

  it('has those of every folder, and of folders below, sorted by id', async () => {
    await put('bundled/one.json', workflow('wr.one'));
    await put('project/deep/er/two.json', workflow('team.two'));
    await put('user/three.json', workflow('user.three'));
    await put('user/notes.md', 'no workflow');
    await put('user/.hidden.json', 'no workflow');
    expect(await shelf()).toEqual({
      known: ['team.two project deep/er/two.json', 'user.three user three.json', 'wr.one bundled one.json'],
      unusable: [],
    });
  });

  it("lets a project's workflow stand before the user's of the same id, and says so", async () => {
    await put('project/a.json', workflow('team.a', 'ours'));
    await put('user/a.json', workflow('team.a', 'mine'));
    const catalog = new FolderCatalog(folders);
    expect(await shelf(catalog)).toEqual({
      known: ['team.a project a.json'],
      unusable: ['user: a.json WORKFLOW_ID_TAKEN'],
    });
    const found = (await catalog.find('team.a'))._unsafeUnwrap();
    expect(found?.compiled.name).toBe('ours');
  });

  it('lets nobody else have an id of the bundled ones', async () => {
    await put('bundled/one.json', workflow('wr.one', 'bundled'));
    await put('project/one.json', workflow('wr.one', 'shadow'));
    await put('user/two.json', workflow('wr.two'));
    const catalog = new FolderCatalog(folders);
    expect(await shelf(catalog)).toEqual({
      known: ['wr.one bundled one.json'],
      unusable: ['project: one.json WORKFLOW_INVALID', 'user: two.json WORKFLOW_INVALID'],
    });
    expect((await catalog.find('wr.one'))._unsafeUnwrap()?.compiled.name).toBe('bundled');
  });

  it('loads an id without a namespace and suggests another, a free one', async () => {
    await put('user/old.json', workflow('My-Old'));
    await put('project/taken.json', workflow('user.my_old'));
    const { known } = (await new FolderCatalog(folders).list())._unsafeUnwrap();
    const old = known.find(({ identity }) => identity.workflowId === 'My-Old');
    expect(old?.identity).toMatchObject({
      idStatus: 'legacy',
      suggestedId: expect.stringMatching(/^user\.my_old_[0-9a-f]{4}$/),
    });
  });

  it('finds a bundled one by the name it has without its namespace, unless another has that name', async () => {
    await put('bundled/bug.json', workflow('wr.bug_hunt'));
    const catalog = new FolderCatalog(folders);
    const idOf = async (name: string) =>
      (await catalog.find(name))._unsafeUnwrap()?.identity.workflowId ?? null;
    expect(await Promise.all(['wr.bug_hunt', 'bug-hunt', 'bug_hunt', 'nothing'].map(idOf))).toEqual([
      ...['wr.bug_hunt', 'wr.bug_hunt', null, null],
    ]);
    await put('user/own.json', workflow('bug-hunt'));
    expect(await idOf('bug-hunt')).toBe('bug-hunt');
  });

  it('reports what cannot be used, each with its reason, and nothing else goes with it', async () => {
    await put('user/broken.json', '{"id": ');
    await put('user/empty.json', workflow('user.empty').replace('"title":"The step",', ''));
    await put('user/binary.json', Buffer.from([0x22, 0xff, 0xfe, 0x22]));
    await put('user/large.json', `"${'x'.repeat(4 * 1024 * 1024)}"`);
    await put('user/good.json', workflow('user.good'));
    await symlink(join(root, 'nowhere'), join(root, 'user', 'lost.json'));
    expect(await shelf()).toEqual({
      known: ['user.good user good.json'],
      unusable: [
        'user: binary.json WORKFLOW_NOT_JSON',
        'user: broken.json WORKFLOW_NOT_JSON',
        'user: empty.json WORKFLOW_INVALID',
        'user: large.json WORKFLOW_INVALID',
        'user: lost.json WORKFLOW_UNREADABLE',
      ],
    });
  });

  it('reports a folder that is none', async () => {
    await put('user', 'a file');
    expect((await shelf()).unusable).toEqual(['user workflows WORKFLOW_UNREADABLE']);
  });

  it('names no path of this machine', async () => {
    await put('user/broken.json', '{');
    await symlink(join(root, 'nowhere'), join(root, 'user', 'lost.json'));
    const { unusable } = (await new FolderCatalog(folders).list())._unsafeUnwrap();
    expect(JSON.stringify(unusable)).not.toContain(root);
  });

  it('sees an edit at once, and compiles what is the same only once', async () => {
    await put('user/a.json', workflow('user.a', 'first'));
    const catalog = new FolderCatalog(folders);
    const find = async () => (await catalog.find('user.a'))._unsafeUnwrap();
    const first = await find();
    expect((await find())?.compiled).toBe(first?.compiled);
    await put('user/a.json', workflow('user.a', 'second'));
    expect((await find())?.compiled.name).toBe('second');
    expect((await find())?.workflowHash).not.toBe(first?.workflowHash);
    await rm(join(root, 'user', 'a.json'));
    expect(await find()).toBeNull();
  });

  it('comes from the package, the project and the data directory, which is one folder in its own place', () => {
    const paths = workflowFolders('/data/.railyard', '/work/app').map(
      ({ sourceKind, path }) => `${sourceKind} ${path}`,
    );
    expect(paths.slice(1)).toEqual([
      'project /work/app/.railyard/workflows',
      'user /data/.railyard/workflows',
    ]);
    expect(paths[0]).toMatch(/^bundled .*workrail-workflows$/);
    expect(workflowFolders('/data/.railyard', '/data').map(({ sourceKind }) => sourceKind)).toEqual([
      'bundled',
      'user',
    ]);
  });

  it('has the bundled workflows, all of them usable', async () => {
    expect(await shelf(new FolderCatalog(workflowFolders(root, null)))).toEqual({
      known: [
        'wr.bug_investigation bundled bug-investigation.json',
        'wr.change_review bundled change-review.json',
        'wr.document_drafting bundled document-drafting.json',
      ],
      unusable: [],
    });
  });
});
