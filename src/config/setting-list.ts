/** The settings, one by one. */
import { z } from 'zod';
import { ABOUT, Settings, type About } from './settings';

/** One setting, by its group and its name there. */
export interface Setting extends About {
  readonly group: string;
  readonly name: string;
  /** `group.name` */
  readonly key: string;
  /** Which values it takes. */
  readonly kind: 'text' | 'number' | 'boolean' | 'list';
  /** What it is where nobody says anything. */
  readonly fallback: unknown;
}

/** Every setting, in the order of the table. */
export const SETTINGS: readonly Setting[] = Object.entries(Settings.shape).flatMap(([group, { shape }]) =>
  Object.entries(shape).map(([name, schema]: [string, z.ZodType]): Setting => {
    const about = ABOUT.get(schema);
    if (!about) throw new Error(`Bug: nothing is said about the setting ${group}.${name}`);
    return {
      ...about,
      ...{ group, name, key: `${group}.${name}`, kind: kindOf(schema), fallback: schema.parse(undefined) },
    };
  }),
);

function kindOf(schema: z.ZodType): Setting['kind'] {
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodNullable) {
    // Zod's own types leave open what is inside; here it is a schema like all others.
    return kindOf(schema.unwrap() as z.ZodType);
  }
  if (schema instanceof z.ZodNumber) return 'number';
  if (schema instanceof z.ZodBoolean) return 'boolean';
  return schema instanceof z.ZodArray ? 'list' : 'text';
}

/** Variables that are no settings of a service: they say where it is, or how to talk to it. */
export const OTHER_VARIABLES: Readonly<Record<string, string>> = {
  RAILYARD_HOME: 'The data directory; `~/.railyard` where it is not set.',
  RAILYARD_CONFIG: 'The configuration file; `railyard.json` in the data directory where it is not set.',
  RAILYARD_URL: 'For commands: the service to talk to; the one of the data directory where it is not set.',
  RAILYARD_KEY:
    'For commands: the key to come with; the local key of the data directory where it is not set.',
  RAILYARD_DEBUG: 'For commands: show where a bug of Railyard itself happened.',
};
