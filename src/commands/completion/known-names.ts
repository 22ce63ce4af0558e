import { CompletionNames, namesFolder } from '../../config/completion-names.js';
import { Profiles, SANDBOX } from '../../config/profiles.js';
import { tryRead } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { openAlgoIds } from '../../trading/algos/record/algo-folder.js';
import { preparedIds } from '../../trading/prepared/prepared-folder.js';
import type { Names } from './complete.js';

/**
 * The names that pit has seen.
 *
 * @param chosen the profile of a line that names none; by default the one in use
 */
export async function knownNames(
  { environment, directories }: Pick<Host, 'environment' | 'directories'>,
  chosen?: string,
): Promise<Names> {
  const profiles = new Profiles(directories.config);
  const inUse = chosen ?? (environment.PIT_PROFILE || ((await tryRead(() => profiles.active())) ?? SANDBOX));
  const namesOf = (profile = inUse) => new CompletionNames(directories.cache, namesFolder(profile, environment));
  return {
    words: (kind, profile) => namesOf(profile).read(kind),
    orders: (profile) => namesOf(profile).readOrders(),
    profiles: () => profiles.names(),
    algos: () => openAlgoIds(directories.state),
    prepared: () => preparedIds(directories.state),
  };
}
