import path from 'node:path';
import { pathToFileURL } from 'node:url';

type BundleProgram = (entry: string, file: string, contents?: string) => Promise<void>;

/** Bundles a program of the sources or of the tests as one ES module, beside which the packages are linked. */
export const bundleProgram: BundleProgram = async (...program) => {
  const scripts = await import(pathToFileURL(path.resolve('scripts/bundle-program.js')).href);
  await (scripts.bundleProgram as BundleProgram)(...program);
};
