/** OUTPUT REQUIREMENTS under a prompt: told before the work, not after it failed (locks, section 18.3). */
import { type CompiledStep, type EmbeddedContract, MAX_SHOWN_REQUIREMENTS } from '../model';
import { needsNotes } from './requirements';
import { requirementOf, rulesOf } from './validation';

/** What the notes of every step are to be (locks, section 18.1). */
const NOTES = [
  '**NOTES (System):** hand in `output.notesMarkdown` for this step alone, never a repetition of earlier notes.',
  'In 10 to 30 lines of Markdown: what you did and decided, what you produced (files, paths, numbers), what is risky,',
  'open or left out on purpose.',
].join(' ');

/** The section for a step: of its contract, else of its criteria; at most five lines of requirements. */
export function requirementSection(step: CompiledStep, contract: EmbeddedContract | undefined): string {
  const { outputContract, validationCriteria } = step;
  const notes = needsNotes(step) ? [NOTES] : [];
  if (outputContract && contract) {
    return [
      '**OUTPUT REQUIREMENTS (System):**',
      `- Artifact contract: ${contract.contractRef}`,
      `- In \`output.artifacts\`, one artifact with kind: "${contract.artifactKind}"`,
      ...contract.guidance.slice(0, MAX_SHOWN_REQUIREMENTS - 3).map((line) => `- ${line}`),
      `- Example: ${JSON.stringify(contract.example)}`,
    ].join('\n');
  }
  if (!validationCriteria) return notes.join('');
  const rules = rulesOf(validationCriteria);
  const shown = rules.slice(0, MAX_SHOWN_REQUIREMENTS).map((rule) => `- ${requirementOf(rule)}`);
  return [['**OUTPUT REQUIREMENTS (System):** your notes', ...shown].join('\n'), ...notes].join('\n\n');
}
