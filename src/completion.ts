import { answer } from './commands/completion/answer.js';
import { builtTree } from './commands/completion/built-tree.js';
import { knownNames } from './commands/completion/known-names.js';
import { directoriesOf } from './platform/files/directories.js';
import { ownProgram } from './platform/installation.js';

/**
 * What `pit __complete` answers a shell, which asks at each Tab, without the rest of the program. It only reads: the table of
 * commands, and pit's own folders.
 */
export async function completion(words: readonly string[]): Promise<string> {
  const { env } = process;
  const host = { environment: env, directories: directoriesOf(env.PIT_HOME), self: ownProgram() };
  return answer(words, builtTree(host), await knownNames(host));
}
