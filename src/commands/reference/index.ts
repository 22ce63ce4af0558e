import { bashScript } from './bash.js';
import { fishScript } from './fish.js';
import { manualPages } from './man.js';
import { readmeWith } from './readme.js';
import { describeTree } from './tree.js';
import { zshScript } from './zsh.js';

/** Reads a file of the project. */
type ReadText = (file: string) => string;

/** Every file that is made from the command tree, by its path in the project, with the text that it should have. */
export async function referenceFiles(read: ReadText): Promise<ReadonlyMap<string, string>> {
  const tree = await describeTree();
  const engine = (name: string) => read(`scripts/completions/${name}`);
  const pages = manualPages(tree);
  return new Map([
    ['README.md', readmeWith(tree, read('README.md'))],
    ['package.json', manifestWith([...pages.keys()], read('package.json'))],
    ['completions/pit.bash', bashScript(tree, engine('pit.bash'))],
    ['completions/_pit', zshScript(tree, engine('_pit'))],
    ['completions/pit.fish', fishScript(tree, engine('pit.fish'))],
    ...pages,
  ]);
}

/** npm installs the manual pages that a package names. */
function manifestWith(pages: readonly string[], manifest: string): string {
  return `${JSON.stringify({ ...JSON.parse(manifest), man: pages }, null, 2)}\n`;
}
