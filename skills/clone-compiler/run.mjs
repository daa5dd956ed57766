import { allSentences, withoutSentences } from '../_text/evidence.mjs';
import { SkillFailure } from '../_text/failure.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { runSkill } from '../_text/request.mjs';
import { spreadTerms } from '../_text/telling.mjs';
import { words } from '../_text/tokens.mjs';
import { writeKnowledge } from './knowledge.mjs';
import { systemPrompt } from './prompt.mjs';
import { toolConfigs } from './tools.mjs';

/** The chunks as sources of sentences, so that the shared readers can be used on them. */
function keptSources(chunks) {
  return chunks.map((chunk) => ({
    id: chunk.source,
    sentences: chunk.sentences.map((sentence) => ({ ...sentence, source: chunk.source, chunk: chunk.id })),
  }));
}

runSkill('clone-compiler', (request) => {
  const index = request.json('chunk-index', 'chunks', 'held_out_ids');
  if (index.chunks.length === 0) {
    throw new SkillFailure('the chunk index holds no passages', 'run source-indexer again');
  }
  // The extractors read everything; what the tests will ask about must not reach the clone through them.
  const heldOut = new Set(index.held_out_ids);
  const clean = (key, ...fields) => withoutSentences(request.json(key, ...fields), heldOut);
  const sentences = allSentences(keptSources(index.chunks));
  const material = {
    expert: request.expertName ?? 'the expert',
    chunks: index.chunks,
    sentences,
    terms: spreadTerms(sentences),
    modules: clean('module-map', 'modules', 'chunks'),
    gaps: request.json('gap-report', 'gaps', 'modules').gaps,
    framework: clean('expert-framework', 'name', 'phases', 'added_from_feedback'),
    soul: clean('soul', 'beliefs', 'commitments', 'contrasts', 'origin', 'admissions', 'patterns'),
    voice: clean('voice', 'signature_phrases', 'representative_lines', 'questions', 'openings'),
    frameworks: clean('frameworks', 'procedures', 'rules_of_thumb', 'definitions', 'order'),
    resources: clean('resources', 'books', 'links', 'tools'),
    offers: clean('offers', 'offers', 'calls_to_action'),
    asked: answerFeedback(request.feedback, sentences),
  };

  const knowledge = writeKnowledge(request.directory('knowledge-files'), material);
  const prompt = systemPrompt(material, knowledge);
  request.writeText('system-prompt', prompt);
  request.writeJson('tool-configs', toolConfigs(material, knowledge));

  const promptWords = words(prompt).length;
  const missing = material.asked.filter((answer) => answer.status === 'not found').map((a) => `"${a.term}"`);
  return {
    metrics: { prompt_words: promptWords, knowledge_file_count: knowledge.files.length },
    notes:
      `A prompt of ${promptWords} words and ${knowledge.files.length} knowledge files, ` +
      `without the ${heldOut.size} sentences held out for the tests.` +
      (missing.length > 0 ? `\nAsked for and not found: ${missing.join(', ')}.` : ''),
  };
});
