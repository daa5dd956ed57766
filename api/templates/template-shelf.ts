/** The templates that come with Railyard, and what can be said about any template without starting it. */
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from 'neverthrow';
import { problem, type RailyardError } from '../../src/errors';
import { compileTemplate, requiredParameters, type Compilation } from '../../src/factory/compile';
import { PACKAGE_ROOT, parseJson } from '../../src/home';

/** What a template is, in numbers. */
export interface TemplateFacts {
  readonly factory: string;
  readonly title: string;
  readonly hash: string;
  readonly blocks: number;
  readonly groups: number;
  readonly gates: number;
  /** Parameters that a run must be given. */
  readonly parameters: readonly string[];
}

/** A template that comes with Railyard. */
export interface Shipped extends TemplateFacts {
  readonly name: string;
}

/** What may be the name of a template: of a file without its ending. */
const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$/;

export class TemplateShelf {
  constructor(private readonly folder = join(PACKAGE_ROOT, 'factories')) {}

  /** Every template that compiles, by name. */
  async list(): Promise<readonly Shipped[]> {
    const names = (await readdir(this.folder)).filter((name) => name.endsWith('.json')).sort();
    const shipped: Shipped[] = [];
    for (const file of names) {
      const name = file.slice(0, -'.json'.length);
      const compiled = (await this.read(name)).andThen(compileTemplate);
      if (compiled.isOk()) shipped.push({ name, ...factsOf(compiled.value) });
    }
    return shipped;
  }

  /** A template as it was written. */
  async read(name: string): Promise<Result<unknown, RailyardError>> {
    const path = join(this.folder, `${name}.json`);
    if (!NAME.test(name) || !existsSync(path)) {
      const suggestion = 'List the templates that come with Railyard.';
      return err(problem('TEMPLATE_NOT_FOUND', `There is no template "${name}".`, { suggestion }));
    }
    return ok(parseJson(await readFile(path, 'utf8')));
  }
}

export function factsOf({ compiled, factoryHash }: Compilation): TemplateFacts {
  const { blocks, groups, factory } = compiled;
  return {
    factory: factory.id,
    title: factory.name,
    hash: factoryHash,
    blocks: blocks.length,
    groups: groups.length,
    gates: blocks.flatMap(({ gates }) => [gates.before, gates.after]).filter((gate) => gate !== null).length,
    parameters: requiredParameters(compiled),
  };
}
