import { readFileSync } from 'node:fs';
import path from 'node:path';

/** The help of every command. In the single-file executable, the build replaces this function. */
export function helpFile(): string {
  return readFileSync(path.join(__dirname, 'help.txt'), 'utf8');
}
