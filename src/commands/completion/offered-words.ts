import { Profiles, SANDBOX } from '../../config/profiles.js';
import { tryRead } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { CompletionNames, namesFolder } from '../session/completion-names.js';
import { complete, type Names } from '../shell/complete.js';

/** The variable with the line up to the cursor. */
const COMPLETE_LINE = 'PIT_COMPLETE_LINE';

/**
 * Prints what may stand in place of the last word of a line, a word each, for the completion script of PowerShell. It reads pit's
 * own folders only and prints nothing if they cannot be read.
 */
export async function printOfferedWords({ environment, directories, output }: Host): Promise<void> {
  const profiles = new Profiles(directories.config);
  const chosen = async () => environment.PIT_PROFILE || (await tryRead(() => profiles.active())) || SANDBOX;
  const names: Names = {
    lines: async (kind, profile) =>
      new CompletionNames(directories.cache, namesFolder(profile ?? (await chosen()), environment)).read(kind),
    profiles: async () => ((await tryRead(() => profiles.list())) ?? []).map(({ name }) => name),
  };
  const { candidates } = await complete(environment[COMPLETE_LINE] ?? '', names, ['help']);
  output.write(candidates.map((word) => `${word.trimEnd()}\n`).join(''));
}
