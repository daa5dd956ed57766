/** `process.json` in an attempt's folder: the process that performs it now, for whoever has to clean up after us. */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { writeWhole } from '../src/home';

/** The name of the file. */
export const PROCESS_FILE = 'process.json';

const ProcessNote = z.object({
  version: z.literal(1),
  /** Also the number of its process group. */
  pid: z.int().positive(),
  /** When it started, as `startOf` says it. */
  start: z.string().min(1),
  /** A word in the environment of all its descendants. */
  mark: z.string().min(1),
});

/** What is noted of a running process. */
export type ProcessNote = z.infer<typeof ProcessNote>;

/** Note a process. */
export function noteProcess(dir: string, note: Omit<ProcessNote, 'version'>): void {
  writeWhole(join(dir, PROCESS_FILE), JSON.stringify({ version: 1, ...note }));
}

/** It has ended. */
export function forgetProcess(dir: string): void {
  rmSync(join(dir, PROCESS_FILE), { force: true });
}

/** The process noted in a folder; null where none is, or the note makes no sense. */
export function readProcess(dir: string): ProcessNote | null {
  try {
    return ProcessNote.parse(JSON.parse(readFileSync(join(dir, PROCESS_FILE), 'utf8')));
  } catch {
    // Without sense it names no process that could be ended safely.
    return null;
  }
}
