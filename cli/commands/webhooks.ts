/** `railyard webhooks`: where the webhooks of a run are called, and with which secret. */
import { type Command } from 'commander';
import pc from 'picocolors';
import { err, type Result } from 'neverthrow';
import { type Webhook } from '../../api/webhooks';
import { type RailyardError } from '../../src/errors';
import { fail, say, sayJson } from '../output';
import { findService } from '../service-client';

interface WebhookOptions {
  readonly json?: true;
}

export function addWebhooks(program: Command): void {
  program
    .command('webhooks')
    .description('show the webhooks of a run: address, secret, and how to call them')
    .argument('<run>', 'the id of the run')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nA secret opens one webhook of one run. How calls are signed: docs/guides/webhooks.md.',
    )
    .action(async (run: string, options: WebhookOptions) => {
      const shown = await show(run, options);
      if (shown.isErr()) fail(shown.error, options.json === true);
    });
}

async function show(run: string, { json }: WebhookOptions): Promise<Result<void, RailyardError>> {
  const service = await findService(process.env);
  if (service.isErr()) return err(service.error);
  const { url: root } = service.value;
  const list = await service.value.get<{ webhooks: Webhook[] }>(
    `/factory-run/${encodeURIComponent(run)}/webhooks`,
  );
  return list.map((answer) => {
    const webhooks = answer.webhooks.map((one) => ({ ...one, url: new URL(one.url, root).href }));
    if (json) sayJson({ webhooks });
    else if (webhooks.length === 0) say(`No block of ${run} has a webhook.`);
    else for (const line of webhooks.flatMap((one) => webhookLines(run, one))) say(line);
  });
}

/** One webhook, with an example that can be pasted into a shell. */
function webhookLines(run: string, { block, path, url, secret }: Webhook): string[] {
  return [
    pc.bold(block),
    `  url     ${url}`,
    `  secret  ${secret}`,
    `  ${pc.dim('# call it:')}`,
    `  body='{"hello": "world"}'; at=$(date +%s)`,
    `  sig=$(printf '%s' "$at.${run}.${path}.$body" | openssl dgst -sha256 -hmac '${secret}' | sed 's/.* //')`,
    `  curl -H "Railyard-Timestamp: $at" -H "Railyard-Signature: v1=$sig" --data-binary "$body" '${url}'`,
    '',
  ];
}
