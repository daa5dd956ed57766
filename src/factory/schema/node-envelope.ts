import { z } from 'zod';

/**
 * The node envelope of a block (`work, sandbox, tools, hooks, checks, policy, inject, contract, op`). Its schema goes
 * here when the compiler can lower it; until then it is only an object, and a non-empty one is a compile error.
 */
export const NodeEnvelope = z
  .record(z.string(), z.unknown())
  .describe('Node envelope; not supported by this version unless it is empty');
