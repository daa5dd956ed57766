import { byteOrder } from '../_text/artifact.mjs';
import { allSentences, cite, findSentences, mentions } from '../_text/evidence.mjs';
import { emailsIn, linksIn, yearsIn } from '../_text/figures.mjs';
import { recurringNames } from '../_text/phrases.mjs';
import { keyTerms } from '../_text/ranking.mjs';
import { runSkill } from '../_text/request.mjs';
import { readInbox } from '../_text/sources.mjs';

const TOPICS = 20;
const IDENTITY =
  /\bI (?:am|was|have been|grew up|run|make|mend|teach|work|started|opened|founded|trained|help)\b/u;

/** Topics: what is typical of several sources at once, and where each is typical. */
function topics(sources) {
  const found = new Map();
  for (const { source, terms } of keyTerms(sources, 15)) {
    for (const { term, weight } of terms) {
      const topic = found.get(term) ?? { topic: term, weight: 0, sources: [] };
      topic.weight = Math.round((topic.weight + weight) * 100) / 100;
      topic.sources.push(source);
      found.set(term, topic);
    }
  }
  return [...found.values()]
    .sort((a, b) => b.sources.length - a.sources.length || b.weight - a.weight || byteOrder(a.topic, b.topic))
    .slice(0, TOPICS);
}

/** Places the expert can be met: pages and addresses, each with the sentences that name it. */
function channels(sentences) {
  const found = new Map();
  for (const sentence of sentences) {
    const addresses = [
      ...linksIn(sentence.text).map((address) => ['link', address]),
      ...emailsIn(sentence.text).map((address) => ['email', address]),
    ];
    for (const [kind, address] of addresses) {
      const channel = found.get(address) ?? { kind, address, evidence: [] };
      channel.evidence.push(cite(sentence));
      found.set(address, channel);
    }
  }
  return [...found.values()].sort((a, b) => byteOrder(a.address, b.address));
}

/** Headings name an expert as often as sentences do ("About Orla Venn"). */
function namedIn(sources, name) {
  return sources.flatMap((source) => {
    const headings = source.sections
      .filter((section) => section.heading !== null && mentions(section.heading, name))
      .map(({ heading, line }) => ({ source: source.id, line, sentence: null, quote: heading }));
    return [...headings, ...findSentences(source.sentences, (text) => mentions(text, name)).map(cite)];
  });
}

runSkill('expert-recon', (request) => {
  const { sources, skipped } = readInbox(request);
  const sentences = allSentences(sources);
  const name = request.expertName;
  const timeline = sentences
    .flatMap((sentence) => yearsIn(sentence.text).map((year) => ({ year, ...cite(sentence) })))
    .sort((a, b) => a.year - b.year || byteOrder(a.source, b.source) || a.line - b.line);
  const summary = {
    expert: {
      name,
      named_in: name === null ? [] : namedIn(sources, name),
      statements: findSentences(sentences, (text) => IDENTITY.test(text))
        .slice(0, 20)
        .map(cite),
    },
    topics: topics(sources),
    named_things: recurringNames(sentences)
      .slice(0, 20)
      .map((group) => ({
        name: group.phrase,
        mentions: group.count,
        sources: [...group.sources].sort(byteOrder),
      })),
    channels: channels(sentences),
    timeline,
    sources: sources.map((source) => ({ id: source.id, title: source.title, words: source.wordCount })),
    left_out: skipped,
  };
  request.writeJson('recon-summary', summary);
  return {
    metrics: { topic_count: summary.topics.length, channel_count: summary.channels.length },
    notes: `${summary.topics.length} topics, ${summary.channels.length} channels, ${timeline.length} dated sentences.`,
  };
});
