import type { Host } from '../../platform/host.js';
import { installedText } from '../../platform/installation.js';
import type { CommandTree } from '../reference/command-tree.js';

/** The file of the build that holds {@link CommandTree} as JSON. */
const TREE_FILE = 'dist/commands.json';

/** Every command with its arguments and flags, as the build has described them. Throws Failure `internal` if it is missing. */
export function builtTree(host: Pick<Host, 'self'>): CommandTree {
  return JSON.parse(installedText(host, TREE_FILE));
}
