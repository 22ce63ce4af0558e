import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import { signed } from '../../terminal/cells.js';
import type { Entry } from '../../terminal/table.js';
import { localTime } from '../../terminal/time.js';
import { keptOrders } from '../../trading/history/order-history.js';
import { gainOf } from '../../trading/pnl/book.js';
import { LotQueue } from '../../trading/pnl/lots.js';
import { matchBills } from '../../trading/pnl/match-bills.js';
import { tradeLegs } from '../../trading/pnl/trade-legs.js';
import type { OrderPlan } from '../../trading/preview/preview.js';
import type { TradingContext } from '../../trading/trading-context.js';

/**
 * The gain that a sell would realise if all of it filled at its price, by the fills that `pit pnl` has kept: the line of a preview,
 * none if no cost is known. Asks the exchange nothing.
 */
export function knownGain({ keptHistory, knownSides }: TradingContext, plan: OrderPlan): readonly Entry[] {
  const { market, side, account, orders } = plan;
  if (side === 'buy' || account !== 'spot') return [];
  const kept = keptHistory?.read();
  const own = knownSides && keptOrders(knownSides, market.market);
  if (kept === undefined || own === undefined) return [];
  const { fills } = matchBills({
    orders: own.orders.filter(({ filled }) => Decimal.of(filled).sign > 0),
    bills: kept.bills.filter(({ coin }) => coin === market.base || coin === market.quote),
    deposits: [],
    withdrawals: [],
  });
  const queue = new LotQueue('fifo');
  const valuation = { unit: market.quote, fees: 'apart', pastValue: () => undefined } as const;
  for (const leg of fills.flatMap((fill) => tradeLegs(fill, valuation))) {
    if (leg.coin !== market.base) continue;
    if (leg.does === 'open') queue.open(leg.lot);
    else queue.close(leg.disposal);
  }
  const lots = orders.flatMap(({ amount, price }) => {
    const sold = Decimal.of(amount);
    const proceeds = sold.times(Decimal.of(price));
    return queue.close({
      ...{ closed: own.readTo, closedBy: null, closing: 'sell', amount: sold, proceeds, fee: null },
    });
  });
  const known = lots.filter(({ cost }) => cost !== null);
  if (known.length === 0) return [];
  const gain = Decimal.sum(known.flatMap((lot) => gainOf(lot) ?? []));
  const without = Decimal.sum(lots.filter(({ cost }) => cost === null).map(({ amount }) => amount));
  const rest = without.sign === 0 ? '' : `; ${formatAmount(without)} ${market.base} has no known cost`;
  const shown = grouped(signed(gain.rescaled(market.priceScale, 'down').toString()));
  const text = `${shown} ${market.quote} before fees, first in first out, by fills up to ${localTime(own.readTo)}${rest}`;
  return [['gain', text, (words, paint) => (shown.startsWith('-') ? paint.down(words) : words)]];
}
