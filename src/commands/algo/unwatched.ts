import { commandLine } from '../../cli/hints.js';
import { counted } from '../../domain/decimal.js';
import { tryRead } from '../../errors.js';
import type { Host } from '../../platform/host.js';
import { AlgoStore, unwatchedAccounts, unwritableAccounts } from '../../trading/algos/store.js';

/** What keeps algo orders from being protected, a line for each account; none if nothing does, or it cannot be found out. */
export async function unprotectedText(host: Host): Promise<string[]> {
  return [...unwritableText(host), ...(await unwatchedText(host))];
}

/** A line for each account whose records of algo orders cannot be written. */
export function unwritableText({ directories }: Host): string[] {
  return unwritableAccounts(directories.state).map(({ folder, ids, code }) => {
    const orders = counted(ids.length, 'algo order');
    return `NOT PROTECTED: ${folder} cannot be written (${code}), so no order of ${orders} is placed, not even by a reached stop. Make it writable: pit then continues.`;
  });
}

/** A line for each account with algo orders that no living process watches; none if all are watched, or it cannot be found out. */
export async function unwatchedText(host: Host): Promise<string[]> {
  const { state } = host.directories;
  return Promise.all(
    unwatchedAccounts(state).map(async ({ account, ids }) => {
      const store = new AlgoStore(host, state, account);
      const records = await tryRead(async () => ids.flatMap((id) => store.read(id) ?? []));
      const profile = records?.find(({ facts }) => facts !== undefined)?.facts?.began.terms.profile;
      const words = ['algo', 'run', ...(profile === undefined ? [] : ['--profile', profile])];
      const what = `no process watches ${counted(ids.length, 'algo order')}, so no stop triggers and no order is placed`;
      return `NOT WATCHED: ${what}. Run: ${commandLine(host.arguments, words)}`;
    }),
  );
}
