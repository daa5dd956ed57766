import { allSentences, cite, findSentences, mentions } from '../_text/evidence.mjs';
import { completeness } from '../_text/completeness.mjs';
import { answerFeedback } from '../_text/feedback.mjs';
import { runSkill } from '../_text/request.mjs';
import { readRawSources } from '../_text/sources.mjs';
import { CALL, readOffers } from './offers.mjs';

const TESTIMONIAL = /["“][^"”]{30,}["”],? (?:said|says|wrote|writes) \p{Lu}|\btestimonial\b/u;

runSkill('offer-extractor', (request) => {
  const framework = request.json('expert-framework', 'name', 'phases', 'added_from_feedback');
  const sources = readRawSources(request);
  const sentences = allSentences(sources);
  const taught = [
    framework.name,
    ...[...framework.phases, ...framework.added_from_feedback].map((p) => p.name),
  ];
  const offers = readOffers(sources, sentences).map((offer) => ({
    ...offer,
    teaches: taught.filter((name) => name !== null && offer.about.some((e) => mentions(e.quote, name))),
  }));
  const calls = findSentences(sentences, (text) => CALL.test(text)).map(cite);
  const having = (field) => offers.filter((offer) => offer[field].length > 0).length;
  const target = Math.max(1, offers.length);
  const fields = {
    offers: { found: offers.length, target: 2 },
    priced: { found: having('prices'), target },
    audience: { found: having('audience'), target },
    calls: { found: having('calls'), target },
    guarantee: { found: having('guarantee'), target: 1 },
  };
  const score = completeness(fields);
  const conflictCount = offers.reduce((sum, offer) => sum + offer.conflicts.length, 0);
  request.writeJson('offers', {
    offers,
    calls_to_action: calls,
    testimonials: findSentences(sentences, (text) => TESTIMONIAL.test(text)).map(cite),
    feedback: answerFeedback(request.feedback, sentences),
    completeness: { score, fields },
    modules: {
      M3_cta_psychology: [
        ...calls,
        ...offers.flatMap((offer) => [
          ...offer.prices,
          ...offer.audience,
          ...offer.guarantee,
          ...offer.mentions,
        ]),
      ].map(({ source, line, sentence, quote }) => ({ source, line, sentence, quote })),
    },
  });
  return {
    metrics: { extraction_completeness: score, offer_count: offers.length },
    notes: `${offers.length} offers, ${calls.length} calls to action, ${conflictCount} contradictions in prices.`,
  };
});
