import path from 'node:path';
import { namesIn } from './files.js';

/**
 * The accounts of which there is a journal.
 * @param root `directories.state`
 * @throws Failure `usage` where that cannot be read
 */
export function accountsWithJournal(root: string): string[] {
  return namesIn(path.join(root, 'journal'));
}
