/** Sessions at random: a run that grows, forks, is checkpointed and has things happen at any of its nodes. */
import fc from 'fast-check';
import { SessionScript } from '../session-script';

const move = fc.record({
  kind: fc.constantFrom(
    ...(['step', 'step', 'step', 'checkpoint', 'bare', 'link', 'notes', 'correct', 'artifact'] as const),
    ...([
      'gap',
      'resolve',
      'prefer',
      'capability',
      'claim',
      'advance',
      'trace',
      'diverge',
      'context',
      'branch',
    ] as const),
  ),
  at: fc.nat(),
});

export const scripts: fc.Arbitrary<SessionScript> = fc
  .array(move, { maxLength: 40, size: '+1' })
  .map((moves) => {
    const script = new SessionScript().run().node('n0', null);
    const nodes = ['n0'];
    const gaps: string[] = [];
    const unlinked: [string, string][] = [];
    const noted = new Map<string, string>();
    for (const [i, { kind, at }] of moves.entries()) {
      const node = nodes[at % nodes.length] ?? 'n0';
      const fresh = `n${i + 1}`;
      switch (kind) {
        case 'step':
          script.step(fresh, node);
          nodes.push(fresh);
          break;
        case 'bare':
          script.node(fresh, node, { kind: 'blocked_attempt' });
          unlinked.push([node, fresh]);
          nodes.push(fresh);
          break;
        case 'link': {
          const [ends] = unlinked.splice(at % Math.max(1, unlinked.length), 1);
          if (ends) script.edge(...ends);
          break;
        }
        case 'checkpoint':
          script.checkpoint(fresh, node);
          nodes.push(fresh);
          break;
        case 'notes':
          noted.set(node, `o${i}`);
          script.notes(node, `note ${i}`, { id: `o${i}` });
          break;
        case 'correct': {
          const supersedes = noted.get(node);
          script.notes(node, `correction ${i}`, {
            id: `o${i}`,
            ...(supersedes === undefined ? {} : { supersedes }),
          });
          break;
        }
        case 'artifact':
          script.artifact(node, `content ${i}`);
          break;
        case 'gap':
          gaps.push(`g${i}`);
          script.gap(node, `g${i}`);
          break;
        case 'resolve': {
          const resolves = gaps[at % Math.max(1, gaps.length)];
          if (resolves !== undefined) script.gap(node, `g${i}`, { resolves });
          break;
        }
        case 'prefer':
          script.prefer(node, { key: 'autonomy', value: at % 2 ? 'full_auto_never_stop' : 'guided' });
          break;
        case 'capability':
          script.capability(node, 'delegation', at % 2 ? 'available' : 'unavailable');
          break;
        case 'claim':
          script.capability(node, 'delegation', 'available', 'weak');
          break;
        case 'advance':
          script.advanced(node, `try_${i}`, 'n0');
          break;
        case 'trace':
          script.trace(node);
          break;
        case 'diverge':
          script.diverge(node);
          break;
        case 'context':
          script.context({ i });
          break;
        case 'branch':
          script.branch(`feature/${i}`);
          break;
      }
    }
    return script;
  });
