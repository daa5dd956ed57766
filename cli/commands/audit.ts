/** `railyard audit`: who decided what in a run, and everything else that became of it, from the store alone. */
import { type Command } from 'commander';
import { auditRun } from '../../src/moving';
import { auditLines } from '../audit-text';
import { fail, say, sayJson } from '../output';
import { withStore } from '../store';

export function addAudit(program: Command): void {
  program
    .command('audit')
    .description(
      'show who decided what in a run, when and on which digests; every attempt, gap and divergence',
    )
    .argument('<run>', 'the id of a run, or of its session')
    .option('--json', 'print JSON, with everything in full')
    .addHelpText('after', '\nIt is read from the store alone: no service and no Temporal is needed.')
    .action(audit);
}

async function audit(name: string, { json = false }: { json?: boolean }): Promise<void> {
  const audited = await withStore((store, home) => auditRun(home, store, name));
  if (audited.isErr()) fail(audited.error, json);
  else if (json) sayJson(audited.value);
  else for (const line of auditLines(audited.value)) say(line);
}
