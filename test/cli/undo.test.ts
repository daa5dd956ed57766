import { describe, expect, it } from '@jest/globals';
import { Undo } from '../../cli/undo';

describe('what was started', () => {
  it('is ended in the opposite order, once, and one step that fails does not keep the others', async () => {
    const said: string[] = [];
    const undone: string[] = [];
    const undo = new Undo((line) => said.push(line));
    for (const name of ['lock', 'server', 'worker']) {
      undo.push(() => {
        undone.push(name);
        return name === 'server' ? Promise.reject(new Error('it hangs on')) : Promise.resolve();
      });
    }
    await Promise.all([undo.all(), undo.all()]);
    expect(undone).toEqual(['worker', 'server', 'lock']);
    expect(said).toEqual(['while stopping: it hangs on']);
  });
});
