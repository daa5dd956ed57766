import { z } from 'zod';
import { Block } from './block';
import { Template } from './template';

/** The published JSON Schemas (draft-07), file name to text, made from the zod schemas. */
export function schemaFiles(): Readonly<Record<string, string>> {
  return {
    'block-v2.schema.json': render(Block),
    'factory-template.schema.json': render(Template),
  };
}

function render(schema: z.ZodType): string {
  return `${JSON.stringify(z.toJSONSchema(schema, { target: 'draft-7' }), null, 2)}\n`;
}
