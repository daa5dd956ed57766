/** A place in a list, as callers carry it from page to page: opaque to them, checked when it comes back. */
import { z } from 'zod';

/** The cursor of a place. */
export const cursorOf = (place: string): string => Buffer.from(place).toString('base64url');

/** A cursor in a query, read as its place. */
export const Cursor = z
  .string()
  .max(500)
  .regex(/^[A-Za-z0-9_-]+$/, { error: 'A cursor is what "next_cursor" of the page before says' })
  .transform((text) => Buffer.from(text, 'base64url').toString());
