import { byteOrder, round } from '../_text/artifact.mjs';
import {
  allSentences,
  cite,
  distinctBy,
  distinctSources,
  findSentences,
  mentions,
} from '../_text/evidence.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { recurringNames } from '../_text/phrases.mjs';
import { runSkill } from '../_text/request.mjs';
import { readRawSources } from '../_text/sources.mjs';
import { headingPath, listPath, namePath, phaseKey } from './paths.mjs';

// One path alone is a layout habit; two that agree are a structure.
const PATHS_NEEDED = 2;
const EVIDENCE_SHOWN = 6;
const METHOD_WORDS = /\b(?:method|framework|model|system|process|phases?|steps?|stages?)\b/iu;

/** The candidates of all paths under one key, with the paths that found each. */
function converge(paths) {
  const merged = new Map();
  for (const [path, candidates] of Object.entries(paths)) {
    for (const candidate of candidates) {
      const entry = merged.get(candidate.key) ?? { ...candidate, ordinals: [], definitions: [], paths: [] };
      entry.paths.push(path);
      entry.ordinals.push(...candidate.ordinals);
      entry.definitions.push(...candidate.definitions);
      merged.set(candidate.key, entry);
    }
  }
  return [...merged.values()];
}

function overlap(a, b) {
  const keys = new Set(b.map((candidate) => candidate.key));
  const shared = a.filter((candidate) => keys.has(candidate.key)).length;
  const union = a.length + b.length - shared;
  return union === 0 ? 0 : round(shared / union);
}

/** The name said most often in the company of words such as "method" and "phases", phases themselves aside. */
function frameworkName(sentences, phases) {
  const keys = new Set(phases.map((phase) => phase.key));
  return recurringNames(sentences)
    .filter((group) => !keys.has(phaseKey(group.phrase)))
    .map((group) => ({ ...group, near: group.sentences.filter((s) => METHOD_WORDS.test(s.text)).length }))
    .filter((group) => group.near > 0)
    .sort((a, b) => b.near - a.near || byteOrder(a.phrase, b.phrase))[0];
}

runSkill('expert-framework-creator', (request) => {
  const recon = request.json('recon-summary', 'named_things');
  const seenByRecon = new Set(recon.named_things.map((thing) => phaseKey(thing.name)));
  const sources = readRawSources(request);
  const sentences = allSentences(sources);
  const paths = { headings: headingPath(sources), lists: listPath(sources), names: namePath(sentences) };
  const mean = (list) => list.reduce((sum, value) => sum + value, 0) / list.length;
  const accepted = converge(paths)
    .filter((candidate) => candidate.paths.length >= PATHS_NEEDED)
    .sort((a, b) => mean(a.ordinals) - mean(b.ordinals) || byteOrder(a.key, b.key));

  const phases = accepted.map((candidate, at) => {
    const found = findSentences(sentences, (text) => mentions(text, candidate.name));
    return {
      order: at + 1,
      name: candidate.name,
      paths: candidate.paths,
      definitions: distinctBy(candidate.definitions, (definition) => definition.quote),
      named_by_recon: seenByRecon.has(candidate.key),
      mentions: found.length,
      sources: distinctSources(found),
      evidence: found.slice(0, EVIDENCE_SHOWN).map(cite),
    };
  });
  const named = frameworkName(sentences, accepted);
  const feedback = answerFeedback(request.feedback, sentences, EVIDENCE_SHOWN);
  const known = new Set(accepted.map((candidate) => candidate.key));
  const added = feedback.filter((answer) => answer.status === 'found' && !known.has(phaseKey(answer.term)));

  const agreed = phases.reduce((sum, phase) => sum + phase.paths.length, 0);
  const cast = Object.values(paths).reduce((sum, candidates) => sum + candidates.length, 0);
  const convergence = phases.length === 0 ? 0 : round((100 * agreed) / Math.max(cast, 3 * phases.length), 1);
  const evidenceCount =
    phases.reduce((sum, phase) => sum + phase.mentions, 0) +
    added.reduce((sum, answer) => sum + answer.mentions, 0);
  request.writeJson('expert-framework', {
    name: named?.phrase ?? null,
    name_evidence: named ? named.sentences.slice(0, EVIDENCE_SHOWN).map(cite) : [],
    phases,
    added_from_feedback: added.map(({ term, mentions: count, evidence }) => ({
      name: term,
      mentions: count,
      evidence,
    })),
    convergence: {
      score: convergence,
      formula:
        'each path casts a vote for each of its candidates; 100 x votes for accepted phases / all votes cast, or the votes ' +
        'of full agreement if those are more; a phase is accepted when two of the three paths found it',
      paths: Object.fromEntries(Object.entries(paths).map(([path, list]) => [path, list.map((c) => c.name)])),
      pairwise_overlap: {
        headings_lists: overlap(paths.headings, paths.lists),
        headings_names: overlap(paths.headings, paths.names),
        lists_names: overlap(paths.lists, paths.names),
      },
    },
    feedback,
    previous_score: request.previous?.score ?? null,
  });
  const missing = feedback
    .filter((answer) => answer.status === 'not found')
    .map((answer) => `"${answer.term}"`);
  return {
    metrics: { convergence_score: convergence, evidence_count: evidenceCount },
    notes:
      `${named?.phrase ?? 'No named framework'}: ${phases.length} phases, convergence ${convergence}.` +
      (added.length > 0 ? `\nAdded after feedback: ${added.map((a) => a.term).join(', ')}.` : '') +
      (missing.length > 0 ? `\nAsked for and not found in the sources: ${missing.join(', ')}.` : ''),
  };
});
