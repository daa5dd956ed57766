/**
 * Artifacts against a contract: always by the JSON Schema embedded in the pinned workflow, never by today's code, so an
 * upgrade changes no run that is under way (locks, section 9).
 */
import { Validator } from '@cfworker/json-schema';
import { type JsonObject } from '../../canonical';
import { type EmbeddedContract } from '../model';

/** What became of the artifact that a contract asks for. */
export type ContractCheck =
  | { readonly kind: 'found'; readonly artifact: JsonObject }
  /** There is none of its kind; `submitted` are the kinds there are. */
  | { readonly kind: 'missing'; readonly submitted: readonly string[] }
  | { readonly kind: 'invalid'; readonly faults: readonly string[] };

/** More faults than these help nobody. */
const SHOWN_FAULTS = 3;

/** The artifacts of a contract's kind that satisfy it, oldest first. */
export function satisfying(contract: EmbeddedContract, artifacts: readonly unknown[]): JsonObject[] {
  return ofKind(contract, artifacts).filter((artifact) => faultsOf(contract, artifact).length === 0);
}

/** The last artifact that satisfies a contract wins; an invalid one beside it does no harm. */
export function checkContract(contract: EmbeddedContract, artifacts: readonly unknown[]): ContractCheck {
  const artifact = satisfying(contract, artifacts).at(-1);
  if (artifact) return { kind: 'found', artifact };
  const last = ofKind(contract, artifacts).at(-1);
  if (last) return { kind: 'invalid', faults: faultsOf(contract, last).slice(0, SHOWN_FAULTS) };
  return {
    kind: 'missing',
    submitted: artifacts.filter(isObject).flatMap(({ kind }) => (typeof kind === 'string' ? [kind] : [])),
  };
}

const ofKind = (contract: EmbeddedContract, artifacts: readonly unknown[]): JsonObject[] =>
  artifacts.filter(isObject).filter(({ kind }) => kind === contract.artifactKind);

// Artifacts come out of JSON: an object that is no array is a JSON object.
const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const validators = new WeakMap<EmbeddedContract, Validator>();

function faultsOf(contract: EmbeddedContract, artifact: JsonObject): string[] {
  try {
    const { valid, errors } = validatorOf(contract).validate(artifact);
    if (valid) return [];
    // The outer errors only say that an inner one exists.
    const inner = errors.filter(({ keyword }) => !WRAPPERS.has(keyword));
    return (inner.length > 0 ? inner : errors).map(
      ({ instanceLocation, error }) => `${instanceLocation.slice(1) || '/'}: ${error}`,
    );
  } catch (thrown) {
    // A schema of a bundle from elsewhere that cannot be used satisfies nothing.
    return [`the embedded schema cannot be used: ${thrown instanceof Error ? thrown.message : 'unknown'}`];
  }
}

const WRAPPERS: ReadonlySet<string> = new Set(['properties', 'items', 'anyOf', 'oneOf', '$ref', 'false']);

function validatorOf(contract: EmbeddedContract): Validator {
  const known = validators.get(contract);
  if (known) return known;
  const made = new Validator(contract.schema, '2020-12', false);
  validators.set(contract, made);
  return made;
}
