import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles } from '../_text/artifact.mjs';
import { SkillFailure } from '../_text/failure.mjs';
import { passageSearch } from '../_text/ranking.mjs';

const PASSAGE = /^## \[(.+?#\d+)\](.*)$/gmu;
const QUOTATION = /^\s*(?:-|\d+\.) (?:[\p{L} ]+: )?"(.+)" \((.+):(\d+)\)$/gmu;

/** Quotations with their places, as a compiled text has them: `- "words" (source:line)`. */
export function quotations(text) {
  return [...text.matchAll(QUOTATION)].map(([, quote, source, line]) => ({
    quote,
    source,
    line: Number(line),
  }));
}

/** The passages of a knowledge file; a file without passage headings is one passage under its own name. */
function passagesOf(name, text) {
  const starts = [...text.matchAll(PASSAGE)];
  if (starts.length === 0) return [{ id: `${name}#01`, source: name, text }];
  return starts.map((start, at) => ({
    id: start[1],
    source: start[1].replace(/#[^#]*$/u, ''),
    text: `${start[2]}\n${text.slice(start.index + start[0].length, starts[at + 1]?.index ?? text.length)}`,
  }));
}

/** The clone as it would be shipped: what it is told, what it can look up, and how many passages it reads at a time. */
export function readClone(request) {
  const prompt = request.text('system-prompt');
  const directory = request.input('knowledge-files');
  const tools = request.json('tool-configs', 'tools').tools;
  const limit = tools.find((tool) => tool.name === 'search_knowledge')?.config?.limit;
  if (!Number.isInteger(limit) || limit < 1) {
    throw new SkillFailure('tool-configs has no search_knowledge with a limit', 'run clone-compiler again');
  }
  const sourceDirectory = join(directory, 'sources');
  const moduleDirectory = join(directory, 'modules');
  const read = (folder) => (existsSync(folder) ? listFiles(folder) : []);
  const passages = read(sourceDirectory).flatMap((name) =>
    passagesOf(name, readFileSync(join(sourceDirectory, name), 'utf8')),
  );
  if (passages.length === 0) {
    throw new SkillFailure('knowledge-files has no passages under sources/', 'run clone-compiler again');
  }
  const files = listFiles(directory).map((name) => ({
    name,
    text: readFileSync(join(directory, name), 'utf8'),
  }));
  return {
    prompt,
    passages,
    limit,
    search: passageSearch(passages),
    modules: new Map(
      read(moduleDirectory).map((name) => [
        name.replace(/\.md$/u, ''),
        quotations(readFileSync(join(moduleDirectory, name), 'utf8')),
      ]),
    ),
    texts: [
      { name: 'system-prompt', text: prompt },
      ...files.map((file) => ({ name: `knowledge-files/${file.name}`, text: file.text })),
      { name: 'tool-configs', text: strings(tools).join('\n') },
    ],
  };
}

function strings(value) {
  if (typeof value === 'string') return [value];
  return value !== null && typeof value === 'object' ? Object.values(value).flatMap(strings) : [];
}
