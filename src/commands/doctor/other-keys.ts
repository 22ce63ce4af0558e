import type { Context } from '../../cli/context.js';
import { type Hint, suggest } from '../../errors.js';
import { accountsWithJournal } from '../../trading/journal/accounts.js';
import { Journal } from '../../trading/journal/journal.js';
import { tryRead } from '../../trading/try-read.js';
import { journalName, SANDBOX_JOURNAL } from '../session/remembered.js';

/** What is unknown in the journals of keys that are not in use now. */
export interface UnknownElsewhere {
  readonly words: string;
  readonly mend: readonly (string | Hint)[];
}

/**
 * Looks through the journals of this home that belong to other keys; null where nothing is unknown there. The sandbox's is
 * left out: its key never goes away.
 * @param own the account in use; null where there is none
 */
export async function unknownElsewhere(context: Context, own: string | null): Promise<UnknownElsewhere | null> {
  const { host } = context;
  const { state } = host.directories;
  const counts = accountsWithJournal(state)
    .filter((account) => account !== own && account !== SANDBOX_JOURNAL)
    .map((account) => ({ account, count: unknownIn(new Journal(host, state, account)) }))
    .filter(({ count }) => count > 0);
  const count = counts.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return null;
  const profiles = (await tryRead(() => profilesByAccount(context))) ?? new Map<string, string>();
  const asking = new Set(counts.map(({ account }) => profiles.get(account)));
  const mend = [...asking].map((profile) =>
    profile === undefined
      ? suggest('Put the key of then back, and run', 'resolve')
      : suggest('Find out', 'resolve', '--profile', profile),
  );
  const words = count === 1 ? '1 write is' : `${count} writes are`;
  return { words: `${words} unknown under another key`, mend };
}

function unknownIn(journal: Journal): number {
  return journal.open().filter(({ isUnderWay }) => !isUnderWay).length;
}

async function profilesByAccount({ session }: Context): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const { name, tradeUrl, builtIn } of await session.profiles.list()) {
    const keys = builtIn ? null : await session.keys.get(name);
    if (keys !== null) found.set(journalName({ sandbox: false, tradeUrl }, keys.accessKey), name);
  }
  return found;
}
