import fs from 'node:fs';
import path from 'node:path';

/** The folder of all accounts' algo orders, below the state folder. */
export const ALGO_FOLDER = 'algos';

/** Whether there may be algo orders: a cheap look, which every command takes. @param root `directories.state` */
export function mayHaveAlgos(root: string): boolean {
  return fs.existsSync(path.join(root, ALGO_FOLDER));
}

/**
 * The ids of the algo orders of all accounts that have not ended, by the names of their files; none if they cannot be read. It loads
 * nothing else, because shells ask for them.
 *
 * @param state `directories.state`
 */
export function openAlgoIds(state: string): string[] {
  return openAlgos(state).flatMap(({ ids }) => ids);
}

/** The same by account: the name of its journal. */
export function openAlgos(state: string): { readonly account: string; readonly ids: readonly string[] }[] {
  const root = path.join(state, ALGO_FOLDER);
  return namesIn(root).map((account) => ({ account, ids: namesIn(path.join(root, account, 'open')) }));
}

function namesIn(folder: string): string[] {
  try {
    return fs.readdirSync(folder).filter((name) => /^[\w-][\w.-]*$/.test(name));
  } catch {
    return [];
  }
}
