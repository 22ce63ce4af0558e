import fs from 'node:fs';
import path from 'node:path';

/** The folder of all accounts' algo orders, below the state folder. */
export const ALGO_FOLDER = 'algos';

/** Whether there may be algo orders: a cheap look, which every command takes. @param root `directories.state` */
export function mayHaveAlgos(root: string): boolean {
  return fs.existsSync(path.join(root, ALGO_FOLDER));
}
