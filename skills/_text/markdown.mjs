import { sentenceId, splitSentences } from './sentences.mjs';

const HEADING = /^(#{1,6})\s+(.*?)\s*#*$/u;
const ITEM = /^\s*(?:(\d{1,3})[.)]|[-*+])\s+(.*)$/u;
const LEAD = /^(?:\*\*(.+?)\*\*|\*(.+?)\*|([^:.!?]{2,60}?))\s*[:–—]\s+/u;
const CAPITALS_LINE = /^[\p{Lu}][\p{Lu}\p{N}\s'’&-]{5,70}$/u;

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
  const sentences = splitSentences(text).map((piece) => ({
    id: sentenceId(piece.text),
    text: piece.text,
    line: lineAt(piece.offset),
  }));
  return { kind, line: parts[0].line, text, sentences, ...extra };
}

function item(match, line) {
  const body = match[2];
  const lead = LEAD.exec(body);
  const name = lead ? plain(lead[1] ?? lead[2] ?? lead[3]) : null;
  return passage('item', [{ text: body, line }], {
    ordinal: match[1] ? Number(match[1]) : null,
    lead: name,
    rest: lead ? plain(body.slice(lead[0].length)) : null,
  });
}

/**
 * A document as sections of passages (paragraph, item, quote). Plain text files are read the same way, with a line in
 * capitals as a heading. Text before the first heading is a section without one.
 */
export function parseDocument(text) {
  const sections = [{ heading: null, level: 0, line: 1, passages: [] }];
  let paragraph = [];
  const flush = () => {
    if (paragraph.length > 0) sections.at(-1).passages.push(passage('paragraph', paragraph));
    paragraph = [];
  };
  text.split('\n').forEach((raw, index) => {
    const line = index + 1;
    const heading = HEADING.exec(raw);
    const listed = ITEM.exec(raw);
    if (heading || CAPITALS_LINE.test(raw)) {
      flush();
      const level = heading ? heading[1].length : 2;
      sections.push({ heading: plain(heading ? heading[2] : raw), level, line, passages: [] });
    } else if (listed) {
      flush();
      sections.at(-1).passages.push(item(listed, line));
    } else if (raw.trim() === '') {
      flush();
    } else if (raw.startsWith('>')) {
      flush();
      sections.at(-1).passages.push(passage('quote', [{ text: raw.replace(/^>\s?/u, ''), line }]));
    } else {
      paragraph.push({ text: raw, line });
    }
  });
  flush();
  return sections.filter((section) => section.heading !== null || section.passages.length > 0);
}
