import { describe, expect, it } from '@jest/globals';
import { graph } from '../../../src/factory/compile';
import { block, compiled, template } from './templates';

const source = template(
  [
    block('end', [], {
      outputs: {
        artifacts: [
          { key: 'a "b"', path: 'x' },
          { key: 'c', path: 'y' },
        ],
      },
    }),
    block('next', [], {
      inputs: {
        depends: [
          { block: 'end', key: 'a "b"' },
          { block: 'end', key: 'c' },
        ],
      },
      execution: { human_gate: 'before', threshold: { metric: 'score', min: 85 } },
    }),
  ],
  {
    parallel_groups: { 'G "1" \\ <x>': ['end'] },
    human_gates: [{ after_block: 'next', approvers: ['lead'] }],
  },
);

describe('the graph', () => {
  it('is drawn for Mermaid, with nothing that could break out of a label', () => {
    expect(graph(compiled(source).compiled, 'mermaid')).toBe(
      `flowchart TD
  subgraph g0["G #34;1#34; #92; #60;x#62;"]
    b0["end<br/>L0"]
  end
  b1["next<br/>L0<br/>gate before<br/>score ≥ 85<br/>gate after: lead"]
  b0 -->|"a #34;b#34;, c"| b1
`,
    );
  });

  it('is drawn for Graphviz', () => {
    expect(graph(compiled(source).compiled, 'dot')).toBe(
      String.raw`digraph "demo" {
  node [shape=box];
  subgraph cluster_0 {
    label="G \"1\" \\ <x>";
    "end" [label="end\nL0"];
  }
  "next" [label="next\nL0\ngate before\nscore ≥ 85\ngate after: lead"];
  "end" -> "next" [label="a \"b\", c"];
}
`,
    );
  });
});
