import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { SkillFailure } from './failure.mjs';
import { emptyDirectory, stableJson } from './artifact.mjs';

/**
 * The one way a skill meets the world: a request file in, artifacts at the paths the request names, a result file out.
 * A skill asks for inputs and outputs by key, so that it never has an idea of its own about where the workspace is.
 */
class Request {
  constructor(document) {
    Object.assign(this, document);
    this.feedback ??= [];
    this.previous ??= null;
    this.config ??= {};
    this.parameters ??= {};
    this.modules ??= {};
  }

  /** Path of the input artifact with this key; its absence is a failure, because the block declared it. */
  input(key) {
    const found = this.inputs.find((input) => input.key === key);
    if (!found)
      throw new SkillFailure(
        `the request has no input "${key}"`,
        `add it to inputs.depends of ${this.block}`,
      );
    if (!existsSync(found.path)) {
      throw new SkillFailure(`input "${key}" is missing at ${found.path}`, `run ${found.block} again`);
    }
    return found.path;
  }

  text(key) {
    const path = this.input(key);
    if (!statSync(path).isFile()) {
      throw new SkillFailure(`input "${key}" is no file`, 'run the block that writes it again');
    }
    const text = readFileSync(path, 'utf8');
    if (text.trim() === '')
      throw new SkillFailure(`input "${key}" is empty`, 'run the block that writes it again');
    return text;
  }

  /** A JSON input that has at least these fields; an artifact of another shape is named, not stumbled over. */
  json(key, ...fields) {
    const text = this.text(key);
    let value;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new SkillFailure(
        `input "${key}" is not JSON (${error.message})`,
        'run the block that writes it again',
      );
    }
    const missing = fields.filter((field) => value?.[field] === undefined);
    if (missing.length > 0) {
      throw new SkillFailure(
        `input "${key}" has no "${missing.join('", "')}"`,
        'run the block that writes it again',
      );
    }
    return value;
  }

  output(key) {
    const found = this.outputs.find((output) => output.key === key);
    if (!found) throw new SkillFailure(`the request has no output "${key}"`, `declare it in ${this.block}`);
    mkdirSync(dirname(found.path), { recursive: true });
    return found.path;
  }

  /** An empty directory for a directory artifact: what an earlier attempt left there must not survive. */
  directory(key) {
    return emptyDirectory(this.output(key));
  }

  writeText(key, text) {
    writeFileSync(this.output(key), text.endsWith('\n') ? text : `${text}\n`);
  }

  writeJson(key, value) {
    writeFileSync(this.output(key), stableJson(value));
  }

  /** The expert's name as the run gives it, or null when the run does not. */
  get expertName() {
    const name = this.config.expert_name ?? this.parameters.expert_name ?? '';
    return name === '' || name.includes('{{') ? null : name;
  }
}

function readRequest(path) {
  let document;
  try {
    document = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new SkillFailure(`cannot read the request (${error.message})`, 'pass the path of a JSON request');
  }
  if (document.version !== 1) {
    throw new SkillFailure(`request version ${document.version} is unknown`, 'send a request of version 1');
  }
  for (const list of ['inputs', 'files', 'outputs', 'metrics']) {
    if (!Array.isArray(document[list])) {
      throw new SkillFailure(`the request has no list "${list}"`, 'send it, empty if need be');
    }
  }
  return new Request(document);
}

/** What the block promised must be there before the result says so. */
function checkPromises(request, result) {
  for (const { key, path, format } of request.outputs) {
    const isDirectory = format === 'directory' || path.endsWith('/');
    const there = existsSync(path) && (!isDirectory || readdirSync(path).length > 0);
    if (!there) throw new SkillFailure(`artifact "${key}" was not written`, 'this is a bug in the skill');
  }
  for (const { key, type } of request.metrics) {
    const value = result.metrics[key];
    if (!Number.isFinite(value) || (type === 'percentage' && (value < 0 || value > 100))) {
      throw new SkillFailure(`metric "${key}" is ${value}`, 'this is a bug in the skill');
    }
  }
}

/** Runs `work(request)` under the contract; a failure is one line on stderr and a non-zero exit. */
export function runSkill(name, work) {
  try {
    const [requestPath, resultPath] = process.argv.slice(2);
    if (!requestPath || !resultPath) {
      throw new SkillFailure(
        'two paths are needed',
        `call: node skills/${name}/run.mjs <request.json> <result.json>`,
      );
    }
    const request = readRequest(requestPath);
    const result = work(request);
    checkPromises(request, result);
    mkdirSync(dirname(resultPath), { recursive: true });
    writeFileSync(resultPath, stableJson(result));
    console.log(`${name}: ${result.notes.split('\n')[0]}`);
  } catch (error) {
    const { message, fix } = error instanceof SkillFailure ? error : bug(error);
    console.error(oneLine(`${name}: ${message}; ${fix}`));
    process.exitCode = 1;
  }
}

const oneLine = (text) => text.replace(/\s+/gu, ' ');

/** What no skill foresaw, in the same one line: the message, and where in the skills it came from. */
function bug(error) {
  const frame = /skills[\\/]+([^()\s]+?\.mjs:\d+)/u.exec(error.stack ?? '')?.[1] ?? 'an unknown place';
  return { message: `${error.name} at ${frame} (${error.message})`, fix: 'this is a bug in the skill' };
}
