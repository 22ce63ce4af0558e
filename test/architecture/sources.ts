import { readFileSync } from 'node:fs';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** The text of a file, by its path from the project's root. */
export function textOf(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}
