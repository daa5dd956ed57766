import { z } from 'zod';
import { Bundle } from './bundle';
import { CompiledWorkflow } from './compiled-workflow';
import { DomainEvent } from './events';
import { ManifestRecord } from './manifest';
import { ExecutionSnapshot } from './snapshot';

/**
 * The published JSON Schemas (2020-12) of the durable records, file name to text, made from the zod schemas. They say the
 * shapes; what spans several fields or counts bytes is checked by the code alone.
 */
export function durableSchemaFiles(): Readonly<Record<string, string>> {
  return {
    'bundle.schema.json': render(Bundle),
    'compiled-workflow.schema.json': render(CompiledWorkflow),
    'event.schema.json': render(DomainEvent),
    'execution-snapshot.schema.json': render(ExecutionSnapshot),
    'manifest-record.schema.json': render(ManifestRecord),
  };
}

function render(schema: z.ZodType): string {
  const json = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io: 'input',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A field that must not be there.
      if (zodSchema._zod.def.type === 'undefined') jsonSchema.not = {};
    },
  });
  return `${JSON.stringify(json, null, 2)}\n`;
}
