import path from 'node:path';
import { Failure } from '../../errors.js';
import { readIfThere } from './files.js';
import type { Intent, JournalEvent } from './intent.js';
import { lineOf, valuesIn } from './lines.js';

/** The content of an entry's file: the intent, and what has happened since, oldest first. */
interface OpenRecord {
  readonly intent: Intent;
  readonly happened: JournalEvent[];
}

type Line = { readonly intent: Intent } | JournalEvent;

/** The text of a new entry's file. */
export function recordOf(intent: Intent): string {
  return lineOf({ intent });
}

/**
 * Reads the file of an entry; `damaged` if it holds no intent, the failure if it could not be read, undefined if it has just
 * been settled.
 */
export function readRecord(file: string): OpenRecord | Failure | 'damaged' | undefined {
  const content = contentOf(file);
  if (content === undefined || content instanceof Failure) return content;
  const lines = valuesIn(content) as Line[];
  const intent = lines.flatMap((line) => ('intent' in line ? line.intent : [])).at(-1);
  return intent === undefined ? 'damaged' : { intent, happened: eventsAmong(lines) };
}

/** The events since the intent, from the text of an entry's file. */
export function eventsIn(content: string): JournalEvent[] {
  return eventsAmong(valuesIn(content) as Line[]);
}

function eventsAmong(lines: readonly Line[]): JournalEvent[] {
  return lines.flatMap((line) => ('intent' in line ? [] : line));
}

/** An unreadable file, such as another user's, is only reported: no other write waits for it. */
function contentOf(file: string): string | Failure | undefined {
  try {
    return readIfThere(file);
  } catch (thrown) {
    if (thrown instanceof Failure) return thrown;
    throw thrown;
  }
}

/** The path of an entry. Some file systems take `A` for `a`, and the exchange does not. */
export function fileName(id: string): string {
  return id.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

export function idOf(file: string): string {
  return path.basename(file).replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
