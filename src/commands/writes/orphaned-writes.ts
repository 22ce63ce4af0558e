import { type KeyPair, lastFour } from '../../config/keys.js';
import type { Profile } from '../../config/profiles.js';
import { suggest, tryRead } from '../../errors.js';
import { Journal } from '../../trading/journal/journal.js';
import { accountName } from '../session/account-name.js';
import type { Context } from '../session/command.js';

/** The key that a profile will trade with from now on; null if it will have none. */
interface NextAccount {
  readonly tradeUrl: string;
  readonly accessKey: string | null;
}

/**
 * Warns if writes are open in the journal of a key that is removed, because their outcomes can be looked up only with it. It
 * blocks nothing: a leaked key has to go at once.
 * @param next gives the new connection for the existing keys
 */
export async function warnOfOrphanedWrites(
  { session, host, output }: Context,
  profile: Profile,
  next: (keys: KeyPair) => NextAccount,
): Promise<void> {
  const { name, tradeUrl } = profile;
  // unreadable keys cannot be used to look anything up
  const keys = await tryRead(() => session.profile.keys.get(name));
  if (keys === null || keys === undefined) return;
  const account = accountOf(tradeUrl, keys.accessKey);
  const { tradeUrl: nextUrl, accessKey } = next(keys);
  if (accessKey !== null && accountOf(nextUrl, accessKey) === account) return;
  const journal = new Journal(host, host.directories.state, account);
  const open = await tryRead(async () => {
    const unsettled = journal.unsettled();
    return unsettled.entries.length + unsettled.damaged.length;
  });
  if (open === 0) return;
  const writes = open === undefined ? 'writes' : open === 1 ? '1 write' : `${open} writes`;
  const of = `${writes} with the key ${lastFour(keys.accessKey)} at ${new URL(tradeUrl).host}`;
  const summary =
    open === undefined
      ? `The journal cannot be read, so the outcome of ${of} may be unknown`
      : `The outcome of ${of} is unknown`;
  output.warn([
    `${summary}, and only that key can look it up. To look it up later, put the key back.`,
    suggest('Look it up first', 'resolve', '--profile', name),
  ]);
}

function accountOf(tradeUrl: string, accessKey: string): string {
  return accountName({ sandbox: false, tradeUrl }, () => accessKey);
}
