/** `process.json` in an attempt's folder: the process that performs it now, for whoever has to clean up after us. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomic } from '../src/home';

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
export async function noteProcess(dir: string, note: Omit<ProcessNote, 'version'>): Promise<void> {
  await writeAtomic(join(dir, PROCESS_FILE), JSON.stringify({ version: 1, ...note }));
}

/** It has ended. */
export async function forgetProcess(dir: string): Promise<void> {
  await rm(join(dir, PROCESS_FILE), { force: true });
}

/** The process noted in a folder; null where none is, or the note makes no sense. */
export async function readProcess(dir: string): Promise<ProcessNote | null> {
  try {
    return ProcessNote.parse(JSON.parse(await readFile(join(dir, PROCESS_FILE), 'utf8')));
  } catch {
    // Without sense it names no process that could be ended safely.
    return null;
  }
}
