import { bashScript } from './bash.js';
import { describeTree } from './tree.js';

/** Reads a file of the project. */
export type ReadText = (file: string) => string;

/** Every file that is made from the command tree, by its path in the project, with the text that it should have. */
export async function referenceFiles(read: ReadText): Promise<ReadonlyMap<string, string>> {
  const tree = await describeTree();
  return new Map([['completions/pit.bash', bashScript(tree, read('scripts/completions/pit.bash'))]]);
}
