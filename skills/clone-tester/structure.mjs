import { mentions } from '../_text/evidence.mjs';
import { moduleDepth } from '../_text/modules.mjs';
import { quotedTerms } from '../_text/feedback.mjs';

/** Where in the prompt a name first stands, or Infinity. */
function placeOf(prompt, name) {
  const at = prompt.indexOf(`**${name}**`);
  return at >= 0 ? at : prompt.includes(name) ? prompt.indexOf(name) : Infinity;
}

function phaseChecks(phase, at, phases, clone) {
  const place = placeOf(clone.prompt, phase.name);
  const before = at === 0 ? -1 : placeOf(clone.prompt, phases[at - 1].name);
  const found = clone.search(phase.name, clone.limit).map((hit) => hit.id);
  const texts = clone.passages.filter((passage) => found.includes(passage.id)).map((passage) => passage.text);
  return [
    ['is named in the prompt', place < Infinity],
    ['comes in its order', place < Infinity && place > before],
    [
      'is defined in the prompt',
      phase.definitions.some((definition) => clone.prompt.includes(definition.quote)),
    ],
    ['can be looked up', texts.some((text) => mentions(text, phase.name))],
    ['has two sources behind it', phase.sources >= 2],
  ].map(([check, passed]) => ({ about: phase.name, check, passed }));
}

/** What a reviewer asked for and the sources have, the clone must have; what the sources lack nobody can ask of it. */
export function reviewerChecks(feedback, clone, sourceTexts) {
  return quotedTerms(feedback).map((term) => {
    const inSources = sourceTexts.some((text) => mentions(text, term));
    return {
      term,
      in_sources: inSources,
      in_prompt: mentions(clone.prompt, term),
      in_knowledge: clone.passages.some((passage) => mentions(passage.text, term)),
    };
  });
}

/** Is the expert's method in the clone, whole and in order? No method is no pass. */
export function frameworkDimension(framework, clone, reviewers) {
  const checks = framework.phases.flatMap((phase, at) => phaseChecks(phase, at, framework.phases, clone));
  if (framework.phases.length > 0 && framework.name !== null) {
    checks.push({
      about: framework.name,
      check: 'is named in the prompt',
      passed: mentions(clone.prompt, framework.name),
    });
  }
  for (const asked of reviewers.filter((entry) => entry.in_sources)) {
    checks.push({
      about: asked.term,
      check: 'was asked for by a reviewer and is in the prompt',
      passed: asked.in_prompt,
    });
  }
  const passed = checks.filter((check) => check.passed).length;
  return {
    value: framework.phases.length === 0 ? 0 : passed / checks.length,
    detail: { phases: framework.phases.length, checks: checks.length, passed },
    failed: checks.filter((check) => !check.passed),
  };
}

/** Has each module of the taxonomy enough to stand on? */
export function moduleDimension(moduleNames, clone) {
  const rows = moduleNames.map((module) => {
    const evidence = clone.modules.get(module) ?? [];
    const sources = new Set(evidence.map((entry) => entry.source)).size;
    return { module, evidence: evidence.length, sources, depth: moduleDepth(evidence.length, sources) };
  });
  const sum = rows.reduce((total, row) => total + row.depth, 0);
  return { value: rows.length === 0 ? 0 : sum / rows.length, detail: { modules: rows.length }, rows };
}
