import type { Action, Fixture } from './action.js';
import { kindOf } from './kinds/index.js';
import { isOf } from './kinds/terms.js';
import type { Program } from './program.js';

/** One in this many actions has its orders cancelled. */
const SHARE = 3;
/** As long as a command of a campaign runs, in ms: the list grows quickly. */
const RECENTLY = 15_000;

/**
 * Cancels the orders of some actions with pit itself, once their command has ended: a user who sees them open does not wait
 * until pit knows whose they are. The settled cancellations must not explain these orders.
 */
export async function cancelOrders(
  action: Action,
  { exchange }: Pick<Fixture, 'exchange'>,
  program: Program,
): Promise<void> {
  const { number, market, side } = action;
  const lines = kindOf(action).ordersOf?.(action) ?? [];
  if (number % SHARE !== 0 || lines.length === 0) return;
  // the faults of the exchange apply here as well: then nothing is cancelled this time
  const orders = await exchange.orders(market, side, Date.now() - RECENTLY).catch(() => []);
  const own = orders.filter((one) => isOpen(one) && lines.some((terms) => isOf(terms, one)));
  if (own.length > 0) await program.run(['cancel', market, ...own.map(({ id }) => id), '--json', '--timeout', '10']);
}

function isOpen({ status }: { readonly status: number }): boolean {
  return status === 0 || status === 3;
}
