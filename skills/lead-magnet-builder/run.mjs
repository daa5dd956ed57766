import { contradicted } from '../_text/contradictions.mjs';
import { distinctBy, mentions, reference } from '../_text/evidence.mjs';
import { SkillFailure } from '../_text/failure.mjs';
import { quotedTerms } from '../_text/feedback.mjs';
import { counted, page } from '../_text/report.mjs';
import { runSkill } from '../_text/request.mjs';
import { entryOffer } from './entry-offer.mjs';

const RULES = 8;

const item = (section, label, { source, line, quote }) => ({ section, label, source, line, quote });

/** How good a definition is for a checklist: "Name: do this" beats "Name means this" beats the rest; then the shorter. */
function checklistRank({ quote }, name) {
  if (quote.startsWith(`${name}:`)) return 0;
  return quote.startsWith(`${name} means`) ? 1 : 2;
}

/** One line for each phase. */
function phaseItems(framework) {
  return framework.phases.flatMap((phase) => {
    const [best] = [...phase.definitions].sort(
      (a, b) =>
        checklistRank(a, phase.name) - checklistRank(b, phase.name) || a.quote.length - b.quote.length,
    );
    return best ? [item('The method on one page', phase.name, best)] : [];
  });
}

/** Steps of the counted lists; the list of the phases themselves has been told already. */
function stepItems(framework, frameworks) {
  const phases = new Set(framework.phases.map((phase) => phase.name));
  return frameworks.procedures
    .filter((list) => !list.steps.some((step) => phases.has(step.name)))
    .flatMap((list) => list.steps.map((step) => item(list.name, null, step)));
}

/** Items under their sections, in the order the sections first appear. */
function sections(items) {
  const names = [...new Set(items.map((entry) => entry.section))];
  return names.map((name) => {
    const lines = items
      .filter((entry) => entry.section === name)
      .map(({ label, quote }) =>
        label === null || quote.startsWith(label) ? `- [ ] ${quote}` : `- [ ] **${label}**: ${quote}`,
      );
    return page(`## ${name}`, lines.join('\n'));
  });
}

runSkill('lead-magnet-builder', (request) => {
  const framework = request.json('expert-framework', 'name', 'phases');
  const frameworks = request.json('frameworks', 'procedures', 'rules_of_thumb');
  const offers = request.json('offers', 'offers').offers;
  const isContradicted = contradicted(request.json('gap-report', 'gaps'));

  const rules = frameworks.rules_of_thumb.map((rule) => item('Rules worth pinning up', null, rule));
  const candidates = distinctBy(
    [...phaseItems(framework), ...stepItems(framework, frameworks), ...rules.slice(0, RULES)],
    (entry) => entry.quote.toLowerCase(),
  );
  const heldBack = candidates.filter(isContradicted);
  const terms = quotedTerms(request.feedback);
  const wanted = (entry) => terms.some((term) => mentions(entry.quote, term));
  const usable = candidates.filter((entry) => !isContradicted(entry));
  const items = [
    ...usable.filter(wanted).map((entry) => ({ ...entry, section: 'Asked for by our readers' })),
    ...usable.filter((entry) => !wanted(entry)),
  ].map((entry, at) => ({ id: `item-${at + 1}`, ...entry }));
  if (items.length === 0) {
    throw new SkillFailure(
      'the sources have no phases, counted steps or rules to make a guide of',
      'ask the expert the first questions of gap-questions.md and run the extractors again',
    );
  }

  const expert = request.expertName ?? 'the expert';
  const title =
    framework.name === null ? `Rules of thumb by ${expert}` : `${framework.name}: a working guide`;
  const offer = entryOffer(offers, isContradicted);
  const missing = terms.filter((term) => !usable.some((entry) => mentions(entry.quote, term)));
  request.writeText(
    'lead-magnet',
    page(
      `# ${title}`,
      `By ${expert}. ${items.length} things to do, in the words they were taught in. Print it, and tick them off.`,
      sections(items),
      offer === null
        ? []
        : ['## When you want company', offer.lines.map((line) => `- ${line.quote}`).join('\n')],
    ),
  );
  request.writeJson('lead-magnet-sources', {
    title,
    items,
    offer: offer && { name: offer.name, evidence: offer.lines },
    held_back: heldBack.map((entry) => ({ ...entry, reason: `contradicted elsewhere ${reference(entry)}` })),
    asked_for: terms.map((term) => ({ term, status: missing.includes(term) ? 'not found' : 'found' })),
  });
  return {
    metrics: { item_count: items.length },
    notes:
      `${counted(items.length, 'item')} under "${title}", ${heldBack.length} held back as contradicted, ` +
      `${offer === null ? 'no offer' : `ends with ${offer.name}`}.` +
      (missing.length > 0
        ? `\nAsked for and not found: ${missing.map((term) => `"${term}"`).join(', ')}.`
        : ''),
  };
});
