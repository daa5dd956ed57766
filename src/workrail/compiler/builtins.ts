/** The catalog of everything that `wr.*` names inside of workflows, made from the definitions the compiler uses. */
import { z } from 'zod';
import { type JsonObject } from '../../canonical';
import { CAPABILITIES } from '../model';
import { AuthoredWorkflow } from './authored';
import { contractPacks, schemaOf } from './contracts';
import { features } from './features';
import { refs } from './refs';
import { templates } from './templates';

/** One entry of the catalog. */
export interface Builtin {
  readonly id: string;
  readonly purpose: string;
  /** JSON Schema of its parameters, configuration or artifact; a canonical text has none. */
  readonly schema?: JsonObject;
  /** Of a canonical text: the text. Of a contract: its example. */
  readonly shown?: string;
  /** Of a contract: who asks for it. */
  readonly askedBy?: 'steps' | 'factory';
}

export interface Builtins {
  readonly capabilities: readonly string[];
  readonly contracts: readonly Builtin[];
  readonly features: readonly Builtin[];
  readonly refs: readonly Builtin[];
  readonly templates: readonly Builtin[];
}

export function builtins(): Builtins {
  return {
    capabilities: CAPABILITIES,
    contracts: contractPacks().map((pack) => ({
      id: pack.contractRef,
      purpose: pack.purpose,
      schema: schemaOf(pack),
      shown: JSON.stringify(pack.example, null, 2),
      askedBy: pack.askedBy,
    })),
    features: features().map(({ featureId, purpose, config }) => ({
      id: featureId,
      purpose,
      schema: jsonSchema(config),
    })),
    refs: refs().map(({ refId, purpose, text }) => ({ id: refId, purpose, shown: text })),
    templates: templates().map(({ templateId, purpose, params }) => ({
      id: templateId,
      purpose,
      schema: jsonSchema(params),
    })),
  };
}

/** The published JSON Schema (draft-07) of authored workflows. */
export const workflowSchema = (): string =>
  `${JSON.stringify(z.toJSONSchema(AuthoredWorkflow, { target: 'draft-7' }), null, 2)}\n`;

const jsonSchema = (schema: z.ZodType): JsonObject =>
  // zod writes plain JSON.
  JSON.parse(JSON.stringify(z.toJSONSchema(schema))) as JsonObject;
