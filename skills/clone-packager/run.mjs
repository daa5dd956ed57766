import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { directoryDigest, fileDigest, listFiles, sha256, stableJson, writeInto } from '../_text/artifact.mjs';
import { SkillFailure } from '../_text/failure.mjs';
import { page, table } from '../_text/report.mjs';
import { runSkill } from '../_text/request.mjs';

/** Where each input goes in the package. */
const PLACES = {
  'system-prompt': 'clone/system-prompt.md',
  'tool-configs': 'clone/tool-configs.json',
  'lead-magnet': 'lead-magnet/lead-magnet.md',
  'welcome-sequence': 'onboarding/welcome-sequence.md',
  'intake-questions': 'onboarding/intake-questions.json',
  'test-results': 'audit/test-results.json',
  'audit-sheet': 'audit/audit-sheet.md',
};
const KNOWLEDGE = 'clone/knowledge-files';

/** A package must hold the very clone that was tested; one changed byte since is another clone. */
function checkTested(request, results) {
  const now = {
    system_prompt: fileDigest(request.input('system-prompt')),
    tool_configs: fileDigest(request.input('tool-configs')),
    knowledge_files: directoryDigest(request.input('knowledge-files')),
  };
  const changed = Object.keys(now).filter((part) => results.tested[part] !== now[part]);
  if (changed.length > 0) {
    throw new SkillFailure(`${changed.join(' and ')} changed after the test`, 'run clone-tester again');
  }
}

function readme(request, results, files) {
  return page(
    `# The clone of ${request.expertName ?? 'the expert'}`,
    `Tested with ${results.questions} sentences it had never seen: score ${results.overall_score}, ` +
      `${results.governance.violations.length} governance violations. \`audit/audit-sheet.md\` says where points were lost.`,
    '## How to run it',
    [
      '1. Give a model `clone/system-prompt.md` as its system prompt.',
      '2. Let it search `clone/knowledge-files/sources`; `clone/tool-configs.json` describes the tools and how many passages it reads.',
      '3. Send `onboarding/welcome-sequence.md` to newcomers and ask them `onboarding/intake-questions.json`.',
      '4. Check the files against `manifest.json` whenever they have travelled.',
    ].join('\n'),
    '## Files',
    table(
      ['file', 'bytes'],
      files.map((file) => [file.name, file.bytes]),
    ),
  );
}

runSkill('clone-packager', (request) => {
  const results = request.json('test-results', 'overall_score', 'tested', 'governance', 'questions');
  checkTested(request, results);
  const contents = Object.entries(PLACES).map(([key, name]) => ({
    name,
    bytes: readFileSync(request.input(key)),
  }));
  const knowledge = request.input('knowledge-files');
  for (const name of listFiles(knowledge)) {
    contents.push({ name: `${KNOWLEDGE}/${name}`, bytes: readFileSync(join(knowledge, name)) });
  }
  const listed = (entries) =>
    entries.map(({ name, bytes }) => ({ name, bytes: bytes.length, digest: `sha256:${sha256(bytes)}` }));
  contents.push({ name: 'README.md', bytes: Buffer.from(readme(request, results, listed(contents))) });

  const directory = request.directory('package');
  const manifest = {
    version: 1,
    expert_slug: request.config.expert_slug ?? null,
    score: results.overall_score,
    governance_violations: results.governance.violations.length,
    files: listed(contents),
  };
  contents.push({ name: 'manifest.json', bytes: Buffer.from(stableJson(manifest)) });
  for (const { name, bytes } of contents) writeInto(directory, name, bytes);

  const size = contents.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return {
    metrics: { file_count: contents.length, package_bytes: size },
    notes: `${contents.length} files, ${size} bytes; the clone in it scored ${results.overall_score}.`,
  };
});
