import { sentenceId, splitSentences } from './sentences.mjs';

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/u;
const ITEM = /^\s*(?:(\d{1,3})[.)]|[-*+])\s+(.*)$/u;
const LEAD = /^(?:(?:\*\*|__)(.+?)(?:\*\*|__)|[*_](.+?)[*_]|([^:.!?]{2,60}?))\s*[:–—]\s+/u;
const CAPITALS_LINE = /^[\p{Lu}][\p{Lu}\p{N}\s'’&-]{5,70}$/u;
const FENCE = /^\s*(?:```|~~~)/u;
const RULE = /^\s*(?:[-*_=]\s*){3,}$/u;

/** Text as a reader sees it: emphasis and link syntax gone, words and addresses kept. */
export function plain(text) {
  return text
    .replace(/!?\[([^\]]*)\]\(([^)\s]+)\)/gu, '$1 $2')
    .replace(/(\*\*|__)(.+?)\1/gu, '$2')
    .replace(/(^|[\s("“])[*_]([^*_]+)[*_]/gu, '$1$2')
    .replaceAll('`', '')
    .trim();
}

/** A block of text with its sentences; lines are counted from 1, as editors do. */
function passage(kind, parts, extra = {}) {
  const starts = [];
  let text = '';
  for (const part of parts) {
    if (text !== '') text += ' ';
    starts.push({ offset: text.length, line: part.line });
    text += plain(part.text);
  }
  const lineAt = (offset) => starts.filter((start) => start.offset <= offset).at(-1).line;
  const sentences = splitSentences(text)
    .filter((piece) => /[\p{L}\p{N}]/u.test(piece.text))
    .map((piece) => ({ id: sentenceId(piece.text), text: piece.text, line: lineAt(piece.offset) }));
  return { kind, line: parts[0].line, text, sentences, ...extra };
}

function item(parts, ordinal) {
  const body = parts.map((part) => part.text).join(' ');
  const lead = LEAD.exec(body);
  return passage('item', parts, {
    ordinal,
    lead: lead ? plain(lead[1] ?? lead[2] ?? lead[3]) : null,
    rest: lead ? plain(body.slice(lead[0].length)) : null,
  });
}

/**
 * A document as sections of passages (paragraph, item, quote). Plain text files are read the same way, with a line in
 * capitals as a heading. Text before the first heading is a section without one. A passage goes on until a blank line or
 * the next mark, so hard-wrapped text reads as it was meant. Fenced code is nobody's voice and is left out.
 */
export function parseDocument(text) {
  const sections = [{ heading: null, level: 0, line: 1, passages: [] }];
  let open = null;
  let fenced = false;
  const close = () => {
    if (open !== null) {
      const done = open.kind === 'item' ? item(open.parts, open.ordinal) : passage(open.kind, open.parts);
      if (done.sentences.length > 0) sections.at(-1).passages.push(done);
    }
    open = null;
  };
  const begin = (kind, part, ordinal = null) => {
    close();
    open = { kind, ordinal, parts: [part] };
  };

  text.split('\n').forEach((raw, index) => {
    const line = index + 1;
    const heading = HEADING.exec(raw);
    const listed = ITEM.exec(raw);
    if (FENCE.test(raw)) {
      close();
      fenced = !fenced;
    } else if (fenced) {
      return;
    } else if (raw.trim() === '' || RULE.test(raw)) {
      close();
    } else if (heading || CAPITALS_LINE.test(raw)) {
      close();
      const level = heading ? heading[1].length : 2;
      sections.push({ heading: plain(heading ? heading[2] : raw), level, line, passages: [] });
    } else if (listed) {
      begin('item', { text: listed[2], line }, listed[1] ? Number(listed[1]) : null);
    } else if (raw.startsWith('>')) {
      const part = { text: raw.replace(/^>\s?/u, ''), line };
      if (open?.kind === 'quote') open.parts.push(part);
      else begin('quote', part);
    } else if (open !== null) {
      open.parts.push({ text: raw, line });
    } else {
      begin('paragraph', { text: raw, line });
    }
  });
  close();
  return sections.filter((section) => section.heading !== null || section.passages.length > 0);
}
