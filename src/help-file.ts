import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The help of every command. The single file holds it itself: its build puts another function in place of this one. */
export function helpFile(): string {
  return readFileSync(path.join(__dirname, 'help.txt'), 'utf8');
}
