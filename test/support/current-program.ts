import path from 'node:path';
import { pathToFileURL } from 'node:url';

interface Prepare {
  readonly root: string;
  readonly arePackagesInstalled: (folder: string) => boolean;
  readonly prepare: () => void;
}

/** A vitest global set-up: builds the program that tests start if it is out of date, also for a bare `npx vitest`. */
export default async function makeCurrent(): Promise<void> {
  const { root, arePackagesInstalled, prepare } = (await import(
    pathToFileURL(path.resolve('scripts/prepare.js')).href
  )) as Prepare;
  // the runner cannot replace the packages that it is made of
  if (!arePackagesInstalled(root)) throw new Error('node_modules is not what package-lock.json says: run `npm test`.');
  prepare();
}
