import { SkillFailure } from '../_text/failure.mjs';
import { page } from '../_text/report.mjs';
import { runSkill } from '../_text/request.mjs';

runSkill('draft-writer', (request) => {
  const topic = String(request.config.topic ?? '').trim();
  if (topic === '') throw new SkillFailure('the topic is empty', 'start the run with -p topic=…');
  const asked = request.feedback.map(({ from, text }) => `- ${from}: ${text}`);
  const draft = page(
    `# ${topic[0].toUpperCase()}${topic.slice(1)}`,
    `A first draft about ${topic}, to be argued with.`,
    '## What it is',
    `Say in one sentence what somebody means who says "${topic}", and in a second one what they do not mean.`,
    '## Why it matters',
    `Name one person whose week would be different without ${topic}, and the hour in which they would notice.`,
    '## How to begin',
    `The smallest step towards ${topic} that can be finished today, and how one would see that it worked.`,
    asked.length > 0 ? ['## What the reviewer asked for', asked.join('\n')] : [],
    '## Open questions',
    [
      `- Who knows more about ${topic} than we do?`,
      `- Which part of ${topic} do we take for granted?`,
      '- What would change our mind?',
    ].join('\n'),
  );
  request.writeText('draft', draft);
  return {
    metrics: { sections: draft.split('\n').filter((line) => line.startsWith('## ')).length },
    notes: `Drafted "${topic}"${asked.length > 0 ? `, with ${asked.length} points of a reviewer` : ''}.`,
  };
});
