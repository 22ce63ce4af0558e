import type { Context } from '../../cli/context.js';
import { define, flag, required, several, toggle } from '../../cli/definition.js';
import * as shape from '../../cli/shapes.js';
import { suggest, usage } from '../../errors.js';
import type { TradingAccount } from '../../trading/account.js';
import { cancelOrders } from '../../trading/cancel/cancel.js';
import { watchMarket } from '../../trading/duplicates/watch.js';
import type { OrderReference } from '../../trading/orders/reference.js';
import { dryRunShape } from '../dry-run.js';
import { marketName } from '../inputs/names.js';
import { knownClientId, orderId } from '../inputs/numbers.js';
import { onMarket, refuseUnknownMarket } from '../known-market.js';
import { cancelEverything } from './all.js';
import { conclude } from './conclusion.js';
import { drySend } from './dry-send.js';
import { showProgress } from './progress.js';
import { CANCELLED } from './rows.js';

export default define({
  summary: 'Cancel orders by id, which asks nothing, or all open orders of a market, which asks',
  arguments: { market: required('the market', marketName), ids: several('the order ids', orderId) },
  flags: {
    id: flag('--id <client-id>', 'your own id of the order', knownClientId),
    all: toggle('--all', 'every open order of the market, until none is left'),
  },
  examples: [
    'cancel btc_usdt 202611210000000001',
    'cancel btc_usdt --id myorder1 --json',
    'cancel btc_usdt --all',
    'cancel btc_usdt --all --yes --json',
  ],
  output: shape.list(shape.record(CANCELLED)),
  dry: shape.list(dryRunShape()),
  async run(context, { market, ids, id, all }) {
    const named = [...new Set(ids)].map((one) => ({ id: one }));
    const ways = [named.length > 0, id !== undefined, all];
    if (ways.filter((way) => way).length !== 1)
      throw usage('Either order ids, or --id, or --all is needed.', suggest('List the ids', 'orders'));
    if (all) return cancelEverything(context, market);
    const account = await context.trading.account();
    return cancelNamed(context, account, market, id === undefined ? named : [{ clientId: id }]);
  },
});

/** Cancels orders that are named, which asks nothing. Throws Failure where none of them was cancelled. */
export async function cancelNamed(
  context: Context,
  account: TradingAccount,
  market: string,
  orders: readonly OrderReference[],
) {
  await refuseUnknownMarket(context, market);
  if (context.globals.dryRun) return drySend(context, account.client, market, orders);
  const { answered, end } = showProgress(context, market, orders.length);
  try {
    const attempts = await cancelOrders(account, market, orders, answered);
    await watchMarket(account, market);
    return await onMarket(context, market, async () => conclude(market, attempts));
  } finally {
    end();
  }
}
