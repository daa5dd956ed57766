import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { homeRoot } from '../../src/home';
import { Home } from './railyard';
import { filesBelow, keepSession } from './stored-session';

let home: Home;
let project: string;
beforeEach(async () => {
  home = await Home.make();
  project = await mkdtemp(join(tmpdir(), 'railyard-project-'));
  await mkdir(join(project, 'workflows'));
  await writeFile(join(project, 'workflows', 'triage.json'), '{}');
});
afterEach(async () => {
  await home.remove();
  await rm(project, { recursive: true });
});

it('[data-dir-workrail-owned] everything is kept in the data directory, wherever a command is called', async () => {
  const id = await keepSession(home.root);
  const bundle = join(home.root, 'one.bundle');
  await home.json('export', id, '-o', bundle, '--artifacts');
  const there = await Home.make();
  try {
    const before = await filesBelow(project);
    for (const args of [['import', bundle], ['verify'], ['sessions'], ['keyring', 'rotate'], ['gc']]) {
      for (const cwd of [project, join(project, 'workflows')])
        expect((await there.start(args, { cwd }).ended).code).toBe(0);
    }
    expect(await filesBelow(project)).toEqual(before);
    const parts = await readdir(join(there.root, 'workrail'));
    expect(parts.sort()).toEqual(['keys', 'sessions', 'snapshots', 'workflows']);
  } finally {
    await there.remove();
  }
});

it('[data-dir-workrail-owned] where nobody names the data directory, it is the same one for every folder', () => {
  const here = process.cwd();
  try {
    const first = homeRoot({});
    process.chdir(project);
    expect(homeRoot({})).toBe(first);
    expect(first.startsWith(project)).toBe(false);
  } finally {
    process.chdir(here);
  }
});
