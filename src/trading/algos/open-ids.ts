import fs from 'node:fs';
import path from 'node:path';

/** The folder of all accounts' algo orders, below the state folder. */
const FOLDER = 'algos';

/**
 * The ids of the algo orders of all accounts that have not ended, by the names of their files; none if they cannot be read. It loads
 * nothing else, because shells ask for them.
 *
 * @param state `directories.state`
 */
export function openAlgoIds(state: string): string[] {
  const root = path.join(state, FOLDER);
  return namesIn(root).flatMap((account) => namesIn(path.join(root, account, 'open')));
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).filter((name) => /^[\w-][\w.-]*$/.test(name));
  } catch {
    return [];
  }
}
