/** Zod schemas as the JSON Schemas of an OpenAPI 3.1 document. */
import { z } from 'zod';

/** A JSON Schema, or a part of one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The schema of what is sent (`input`) or of what is answered (`output`). */
export function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const { $schema: _version, $defs: _defs, ...made } = z.toJSONSchema(schema, { io, unrepresentable: 'any' });
  // The only schema that refers to itself is that of any JSON, and any JSON is what an empty schema means.
  return withoutReferences(made) as JsonSchema;
}

function withoutReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutReferences);
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value) return {};
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, withoutReferences(part)]));
}
