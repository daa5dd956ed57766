import { percent } from '../_text/artifact.mjs';
import { cite, distinctSources } from '../_text/evidence.mjs';
import { SkillFailure } from '../_text/failure.mjs';
import { modulesOf, moduleState } from '../_text/modules.mjs';
import { runSkill } from '../_text/request.mjs';

runSkill('module-mapper', (request) => {
  const names = Object.keys(request.modules);
  if (names.length === 0)
    throw new SkillFailure('the request has no modules', 'give the template a module_mapping');
  const { chunks } = request.json('chunk-index', 'chunks');
  const framework = request.json('expert-framework', 'name', 'phases', 'added_from_feedback');
  const ownNames = [
    framework.name,
    ...framework.phases.map((p) => p.name),
    ...framework.added_from_feedback.map((a) => a.name),
  ].filter((name) => name !== null);

  const evidence = new Map(names.map((name) => [name, []]));
  const chunkRows = chunks.map((chunk) => {
    const counts = new Map();
    for (const sentence of chunk.sentences) {
      for (const module of modulesOf(sentence.text, names, ownNames)) {
        counts.set(module, (counts.get(module) ?? 0) + 1);
        evidence.get(module).push({ ...cite({ ...sentence, source: chunk.source }), chunk: chunk.id });
      }
    }
    return { chunk: chunk.id, heading: chunk.heading, modules: Object.fromEntries(counts) };
  });
  const modules = names.map((name) => {
    const found = evidence.get(name);
    const sources = distinctSources(found);
    return {
      module: name,
      fed_by: request.modules[name],
      state: moduleState(found.length, sources),
      evidence_count: found.length,
      source_count: sources,
      chunk_count: new Set(found.map((entry) => entry.chunk)).size,
      evidence: found,
    };
  });
  const mapped = chunkRows.filter((row) => Object.keys(row.modules).length > 0);
  request.writeJson('module-map', {
    modules,
    chunks: chunkRows,
    unmapped_chunks: chunkRows.filter((row) => !mapped.includes(row)).map((row) => row.chunk),
  });
  const covered = modules.filter((module) => module.state === 'strong').length;
  return {
    metrics: { modules_covered: covered, mapped_share: percent(mapped.length, chunkRows.length) },
    notes: `${covered} of ${names.length} modules are well covered; ${mapped.length} of ${chunkRows.length} chunks have a module.`,
  };
});
