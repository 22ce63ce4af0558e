import type { Action, Fixture } from './action.js';
import { kindOf } from './kinds/index.js';
import { isOf, repriced } from './kinds/terms.js';
import type { Program } from './program.js';

/** One in this many actions has its orders cancelled, and one in as many has one of them replaced. */
const SHARE = 3;
/** As long as a command of a campaign runs, in ms: the list grows quickly. */
const RECENTLY = 15_000;

/** What was done with the orders of an action before pit had settled them. */
export type Change = 'cancelled' | 'replaced';

/**
 * Cancels or replaces the orders of some actions with pit itself, once their command has ended: a user who sees them open does
 * not wait until pit knows whose they are. The settled cancellations and replacements must not explain these orders.
 * Returns what was done; undefined if nothing was, or not for certain.
 */
export async function changeOrders(
  action: Action,
  { exchange }: Pick<Fixture, 'exchange'>,
  program: Program,
): Promise<Change | undefined> {
  const { number, kind, market, side } = action;
  const lines = kindOf(action).ordersOf?.(action) ?? [];
  const isReplaced = number % SHARE === 1 && kind !== 'batch';
  if ((number % SHARE !== 0 && !isReplaced) || lines.length === 0) return undefined;
  // the faults of the exchange apply here as well: then nothing is changed this time
  const orders = await exchange.orders(market, side, Date.now() - RECENTLY).catch(() => []);
  const own = orders.filter((one) => isOpen(one) && lines.some((terms) => isOf(terms, one)));
  const [first] = own;
  if (first === undefined) return undefined;
  // no other action has this price: the lines of a batch do
  const words = isReplaced
    ? ['order', 'replace', market, first.id, '--at', repriced({ ...first, market, side }).price, '--yes']
    : ['cancel', market, ...own.map(({ id }) => id)];
  const { code } = await program.run([...words, '--json', '--timeout', '10']);
  if (code !== 0) return undefined;
  return isReplaced ? 'replaced' : 'cancelled';
}

function isOpen({ status }: { readonly status: number }): boolean {
  return status === 0 || status === 3;
}
