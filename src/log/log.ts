/** What happens, for those who run the service: one line each, for people and for programs. */
import { LOG_LEVELS } from '../config';

export type LogLevel = (typeof LOG_LEVELS)[number];

/** What a line is about. Never a secret. */
export type LogFields = Readonly<Record<string, unknown>>;

/** Takes lines. */
export interface Log {
  write(level: LogLevel, message: string, fields?: LogFields): void;
}

/** A line as it is kept: one JSON object with its end of line. */
export function lineOf(level: LogLevel, message: string, fields: LogFields): string {
  const line = { time: new Date().toISOString(), level, message, ...fields };
  return `${JSON.stringify(line, readable)}\n`;
}

/** Is a line of this level wanted, where `least` is the least important one that is? */
export const isWanted = (level: LogLevel, least: LogLevel): boolean =>
  LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);

const readable = (_key: string, value: unknown): unknown =>
  value instanceof Error ? (value.stack ?? value.message) : typeof value === 'bigint' ? String(value) : value;
