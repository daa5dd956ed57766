import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { byteOrder, listFiles } from './artifact.mjs';
import { SkillFailure } from './failure.mjs';
import { parseDocument } from './markdown.mjs';
import { words } from './tokens.mjs';

const READABLE = new Set(['.md', '.markdown', '.txt']);

/**
 * Cleans without moving a line: line n of a cleaned source is line n of what the expert handed over, so evidence can be
 * looked up in either.
 */
export function cleanText(bytes) {
  return bytes
    .replace(/^\uFEFF/u, '')
    .replace(/\r\n?/gu, '\n')
    .replace(/<!--[\s\S]*?-->/gu, (comment) => comment.replace(/[^\n]+/gu, ''))
    .replace(/<(https?:\/\/[^\s>]+|[^\s<>@]+@[^\s<>]+)>/gu, '$1')
    .replace(/<\/?[a-z][^>\n]*>/giu, '')
    .replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\u00AD\u200B-\u200D]/gu, '')
    .replaceAll('\u00A0', ' ')
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

/** A parsed source: its id is its name inside the inbox, which is also its name inside raw-sources. */
export function parseSource(id, text) {
  const sections = parseDocument(text);
  const title = sections.find((section) => section.heading !== null)?.heading ?? id;
  const sentences = [];
  for (const section of sections) {
    for (const passage of section.passages) {
      for (const sentence of passage.sentences) {
        sentences.push({ ...sentence, source: id, heading: section.heading, kind: passage.kind });
      }
    }
  }
  return { id, title, text, sections, sentences, wordCount: words(text).length };
}

/** The name of an inbox file below its first folder, so that an id is the same in every workspace. */
function sourceName(path) {
  const parts = relative(process.cwd(), path).split(sep);
  return parts[0] === '..' || parts.length === 1 ? parts.at(-1) : parts.slice(1).join('/');
}

/** The working directory is a real path; a file named through a link to it must be compared as one too. */
function realPath(path) {
  return existsSync(path) && relative(process.cwd(), path).startsWith('..') ? realpathSync(path) : path;
}

function readInboxFile(path) {
  if (!existsSync(path)) {
    throw new SkillFailure(`the file ${path} is gone`, 'put it back into the inbox, or start a new attempt');
  }
  return cleanText(readFileSync(path, 'utf8'));
}

/** Reads the expert's own files; what is no plain text, or has no words, is named and left out. */
export function readInbox(request) {
  const sources = [];
  const skipped = [];
  const seen = new Set();
  for (const path of request.files) {
    const id = sourceName(realPath(path));
    if (seen.has(id)) throw new SkillFailure(`two files of the inbox are called ${id}`, 'rename one of them');
    seen.add(id);
    if (!READABLE.has(extname(path).toLowerCase())) {
      skipped.push({ source: id, reason: 'not plain text (.md, .markdown or .txt)' });
      continue;
    }
    const source = parseSource(id, readInboxFile(path));
    if (source.sentences.length === 0) skipped.push({ source: id, reason: 'no sentences in it' });
    else sources.push(source);
  }
  if (sources.length === 0) {
    throw new SkillFailure(
      'there is nothing to read in the inbox',
      'put at least one .md or .txt file with text into the inbox folder of the workspace',
    );
  }
  skipped.sort((a, b) => byteOrder(a.source, b.source));
  return { sources: sources.sort((a, b) => byteOrder(a.id, b.id)), skipped };
}

/** Reads the cleaned sources that deep-research wrote. */
export function readRawSources(request) {
  const directory = request.input('raw-sources');
  const sources = listFiles(directory)
    .map((name) => parseSource(name, readFileSync(join(directory, name), 'utf8')))
    .filter((source) => source.sentences.length > 0);
  if (sources.length === 0) {
    throw new SkillFailure('raw-sources holds no text', 'run deep-research again with text in the inbox');
  }
  return sources;
}
