import fs from 'node:fs';
import path from 'node:path';

/** The folder of the prepared writes, below the state folder. */
export const PREPARED_FOLDER = 'prepared';

/** For how long a prepared write may be committed, in milliseconds: a person may have to open a terminal first. */
export const PREPARED_MS = 300_000;

/** The same in messages. */
export const PREPARED_FOR = `${PREPARED_MS / 60_000} minutes`;

/** The name of a claim's link begins with this, and with the id of the write. */
const HIDDEN = '.';

/**
 * The ids of what may be committed, for completion: by the names and times of files alone. `pit commit` checks the rest.
 * @param root `directories.state`
 */
export function preparedIds(root: string): string[] {
  const folder = path.join(root, PREPARED_FOLDER);
  try {
    const names = fs.readdirSync(folder);
    const isNew = (name: string) => Date.now() - fs.statSync(path.join(folder, name)).mtimeMs <= PREPARED_MS;
    const isTaken = (name: string) => names.some((other) => other.startsWith(`${HIDDEN}${name}${HIDDEN}`));
    return names.filter((name) => !name.startsWith(HIDDEN) && !isTaken(name) && isNew(name));
  } catch {
    return [];
  }
}
