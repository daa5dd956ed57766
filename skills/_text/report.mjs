import { quoted } from './evidence.mjs';

const cell = (value) => String(value).replaceAll('|', '\\|').replace(/\s+/gu, ' ');

/** A markdown table; cells are escaped, so that a quoted pipe cannot break it. */
export function table(headers, rows) {
  if (rows.length === 0) return '_None found._\n';
  const line = (cells) => `| ${cells.map(cell).join(' | ')} |`;
  return `${[line(headers), line(headers.map(() => '---')), ...rows.map(line)].join('\n')}\n`;
}

/** "1 item", "2 items": for nouns that take an s. */
export function counted(count, noun) {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Quotations as a list, each with its place. */
export function quoteList(evidence) {
  if (evidence.length === 0) return '_None found._\n';
  return `${evidence.map((entry) => `- ${quoted(entry)}`).join('\n')}\n`;
}

/** Markdown from its parts: empty parts vanish, the others stand one blank line apart. */
export function page(...parts) {
  return `${parts
    .flat()
    .filter((part) => part !== null && part !== '')
    .map((part) => part.trimEnd())
    .join('\n\n')}\n`;
}
