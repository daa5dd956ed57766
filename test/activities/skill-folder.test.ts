import { describe, expect, it } from '@jest/globals';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { findMissingSkills } from '../../activities';
import { findProgram } from '../../activities/skill-folder';
import { temporary } from '../sandbox/places';
import { SKILLS } from './scene';

describe('the folders of skills', () => {
  it('are searched in order', async () => {
    const own = temporary();
    mkdirSync(join(own, 'fails'));
    expect(await findProgram('fails', [own, SKILLS])).toBe(join(SKILLS, 'fails/run.mjs'));
    writeFileSync(join(own, 'fails/run.mjs'), '');
    expect(await findProgram('fails', [own, SKILLS])).toBe(join(own, 'fails/run.mjs'));
    expect(await findProgram('fails', [])).toBeNull();
  });

  it('tell which skills they lack, each once', async () => {
    expect(await findMissingSkills(['fails', 'x', 'hangs', 'y', 'x'], [SKILLS])).toEqual(['x', 'y']);
  });
});
