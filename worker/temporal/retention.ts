import { Connection } from '@temporalio/client';
import { msToTs } from '@temporalio/common/lib/time';
import { type ConnectionSettings } from './connection-settings';

const RETENTION_MS = 90 * 86_400_000;

/** A dev server forgets a closed run after a day; people come back to theirs for longer. */
export async function raiseRetention(settings: ConnectionSettings, namespace: string): Promise<void> {
  const connection = await Connection.connect(settings);
  try {
    await connection.workflowService.updateNamespace({
      namespace,
      config: { workflowExecutionRetentionTtl: msToTs(RETENTION_MS) },
    });
  } finally {
    await connection.close();
  }
}
