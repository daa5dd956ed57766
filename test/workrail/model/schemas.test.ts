import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import Ajv from 'ajv/dist/2020';
import { describe, expect, it } from '@jest/globals';
import { durableSchemaFiles, type DomainEvent } from '../../../src/workrail/model';
import { SessionScript } from '../session-script';

const BUILT = join(__dirname, '..', '..', '..', 'dist', 'src', 'workrail', 'model');

describe('the schemas', () => {
  it.each(readdirSync(BUILT).filter((name) => name.endsWith('.js')))(
    '[schema-modules-load-safe] %s loads alone',
    (name) => {
      expect(
        execFileSync(
          process.execPath,
          ['-e', `require(${JSON.stringify(join(BUILT, name))}); console.log('loaded')`],
          { encoding: 'utf8' },
        ),
      ).toBe('loaded\n');
    },
  );

  it('are the same text whenever they are written', () => {
    expect(durableSchemaFiles()).toEqual(durableSchemaFiles());
  });

  it('take the events that are read, and refuse one that is not', () => {
    const check = new Ajv({ strict: false }).compile<DomainEvent>(
      JSON.parse(durableSchemaFiles()['event.schema.json'] ?? '') as object,
    );
    const { events } = new SessionScript()
      .run()
      .node('root', null)
      .notes('root', 'x')
      .gap('root', 'g')
      .context({ a: 1 })
      .branch('main');
    expect(events.map((event) => check(event))).toEqual(events.map(() => true));
    expect(check({ ...events[0], scope: { runId: 'run_1' } })).toBe(false);
  });
});
