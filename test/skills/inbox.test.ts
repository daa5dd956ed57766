/** What skills make of files as people really hand them over. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { FactoryFloor } from './factory-floor';

interface Notebook {
  readonly skipped: readonly { readonly source: string; readonly reason: string }[];
  readonly sources: readonly {
    readonly source: string;
    readonly sections: readonly {
      readonly id: string;
      readonly heading: string | null;
      readonly notes: readonly { readonly kind: string; readonly line: number; readonly text: string }[];
    }[];
  }[];
}

describe('the inbox', () => {
  let floor: FactoryFloor;

  beforeEach(() => {
    floor = new FactoryFloor([]);
  });
  afterEach(() => floor.close());

  const put = (name: string, content: string | Buffer): void => {
    const path = join(floor.workspace, 'inbox', name);
    mkdirSync(join(path, '..'), { recursive: true });
    writeFileSync(path, content);
  };
  const notebook = (): Notebook => {
    floor.perform('masterybook-sync');
    return floor.json('masterybook-sync', 'notebook') as Notebook;
  };

  it('may hold hard-wrapped text: a paragraph, an item and a quotation go on over lines', () => {
    put(
      'notes.md',
      '# Notes\n\nOne line\nand the next.\n\n- an item\n  that goes on\n- another\n\n> quoted\n> twice\n',
    );
    expect(notebook().sources[0]?.sections[0]?.notes).toEqual([
      { kind: 'paragraph', line: 3, text: 'One line and the next.' },
      { kind: 'item', line: 6, text: 'an item that goes on' },
      { kind: 'item', line: 8, text: 'another' },
      { kind: 'quote', line: 10, text: 'quoted twice' },
    ]);
  });

  it('may come from Windows, with a byte order mark, comments, markup and rules between parts', () => {
    put(
      'letter.md',
      '\uFEFF# Letter\r\n\r\n<!-- draft\r\n2 -->\r\nDear <b>you</b>.\r\n\r\n---\r\n\r\nSee <https://example.com/a>.\r\n',
    );
    expect(notebook().sources[0]?.sections).toMatchObject([
      {
        heading: 'Letter',
        notes: [
          { line: 5, text: 'Dear you.' },
          { line: 9, text: 'See https://example.com/a.' },
        ],
      },
    ]);
    floor.perform('deep-research');
    const copy = readFileSync(join(floor.artifact('deep-research', 'raw-sources'), 'letter.md'), 'utf8');
    expect(copy.split('\n')[4]).toBe('Dear you.');
  });

  it('may hold code, which is nobody’s voice, and bare links, which are kept', () => {
    put(
      'page.md',
      '# Page\n\n```sh\n# install it\nnpm install\n```\n\n- https://example.com/one\n- https://example.com/two\n',
    );
    expect(notebook().sources[0]?.sections).toMatchObject([
      { heading: 'Page', notes: [{ kind: 'item' }, { kind: 'item' }] },
    ]);
    expect(floor.perform('expert-recon').metrics.channel_count).toBe(2);
  });

  it('may have folders, names with spaces, and files that are no text', () => {
    put(
      'talks/first talk [1].md',
      '# Talk\n\nI mend chairs for people who wait. I have mended chairs for years.\n',
    );
    put('photo.png', Buffer.from([0x89, 0x50, 0x4e, 0x47]));
    put('empty.txt', '\n\n');
    const { sources, skipped } = notebook();
    expect(sources.map(({ source }) => source)).toEqual(['talks/first talk [1].md']);
    expect(sources[0]?.sections[0]?.id).toBe('talks/first talk [1].md#01');
    expect(skipped.map(({ source }) => source)).toEqual(['empty.txt', 'photo.png']);
    expect(floor.walkTo('clone-tester').metrics.governance_violations).toBe(0);
  });

  it('gives the same sentences to hold out, whatever else is in it', () => {
    const heldOutOf = (source: string): string[] => {
      floor.walkTo('source-indexer');
      const { sentences } = floor.json('source-indexer', 'held-out') as {
        sentences: { id: string; source: string }[];
      };
      return sentences.filter((one) => one.source === source).map(({ id }) => id);
    };
    const story = Array.from(
      { length: 40 },
      (_, n) => `On day ${n} the workshop opened late and the kettle was cold.`,
    );
    put('story.md', `# Story\n\n${story.join(' ')}\n`);
    const alone = heldOutOf('story.md');
    expect(alone.length).toBeGreaterThan(0);
    put('another.md', '# Another\n\nThe board by the door was full of cards that nobody had turned.\n');
    expect(heldOutOf('story.md')).toEqual(alone);
  });
});
