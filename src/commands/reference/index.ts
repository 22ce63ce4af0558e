import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { describeTree } from './tree.js';
import { zshScript } from './zsh.js';

/** Reads a file of the project. */
export type ReadText = (file: string) => string;

/** Every file that is made from the command tree, by its path in the project, with the text that it should have. */
export async function referenceFiles(read: ReadText): Promise<ReadonlyMap<string, string>> {
  const tree = await describeTree();
  const engine = (name: string) => read(`scripts/completions/${name}`);
  return new Map([
    ['completions/pit.bash', bashScript(tree, engine('pit.bash'))],
    ['completions/_pit', zshScript(tree, engine('_pit'))],
    ['completions/pit.fish', fishScript(tree, engine('pit.fish'))],
  ]);
}
