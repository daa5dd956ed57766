import { describe, expect, it } from '@jest/globals';
import { suggestId, type WorkflowOrigin } from '../../../src/workrail/compiler';
import { compiled, pointersOf, problemsOf, step, workflow } from './workflows';

const named = (id: string) => workflow([step('a')], { id });
const from = (sourceKind: WorkflowOrigin['sourceKind']): WorkflowOrigin => ({ sourceKind });

describe('the id of a workflow', () => {
  it.each(['a.b.c', 'A.b', 'user.', '.x', 'user.1x', 'user.x y', 'factory.x'])('cannot be "%s"', (id) => {
    expect(pointersOf(named(id))).toEqual(['/id']);
  });

  it.each(['user', 'project', 'remote', 'plugin'] as const)('cannot be wr.* in a %s source', (kind) => {
    const [problem] = problemsOf(named('wr.mine'), from(kind));
    expect(problem?.message).toContain('reserved');
    expect(problem?.fix).toContain(`.mine"`);
  });

  it('is wr.* in the bundled source, and nothing else there', () => {
    expect(compiled(named('wr.mine'), from('bundled')).identity.idStatus).toBe('namespaced');
    expect(pointersOf(named('user.mine'), from('bundled'))).toEqual(['/id']);
  });

  it('may be a legacy one when loading, with a warning and a suggestion, and not when saving', () => {
    const { compiled: made, identity } = compiled(named('My-Flow'));
    expect(made.compiledWarnings.map(({ kind }) => kind)).toEqual(['legacy_id']);
    expect(identity).toEqual({
      workflowId: 'My-Flow',
      idStatus: 'legacy',
      sourceKind: 'user',
      suggestedId: 'user.my_flow',
    });
    expect(problemsOf(named('My-Flow'), { sourceKind: 'user', intent: 'save' })[0]?.fix).toContain(
      'user.my_flow',
    );
  });

  it('does not make the hash depend on where the workflow was found', () => {
    const hashes = (['user', 'project', 'remote'] as const).map(
      (kind) => compiled(named('old-one'), from(kind)).workflowHash,
    );
    expect(new Set(hashes).size).toBe(1);
  });
});

describe('a suggested id', () => {
  it.each([
    ['user', 'user.a_b'],
    ['project', 'project.a_b'],
    ['remote', 'repo.a_b'],
    ['plugin', 'repo.a_b'],
  ] as const)('of a %s source is %s', (sourceKind, expected) => {
    expect(suggestId('A-b', { sourceKind })).toBe(expected);
  });

  it('is team.* only where somebody has said so', () => {
    expect(suggestId('x', { sourceKind: 'remote', remoteNamespace: 'team' })).toBe('team.x');
  });

  it('that is taken gets a suffix of its source, the same every time', () => {
    const origin = { sourceKind: 'user' as const, isTaken: (id: string) => id === 'user.x' };
    const here = suggestId('x', { ...origin, sourceKey: '/here' });
    expect(here).toMatch(/^user\.x_[0-9a-f]{4}$/);
    expect(suggestId('x', { ...origin, sourceKey: '/here' })).toBe(here);
    expect(suggestId('x', { ...origin, sourceKey: '/there' })).not.toBe(here);
  });
});
