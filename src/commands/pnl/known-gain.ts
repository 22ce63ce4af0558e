import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import { signed } from '../../terminal/cells.js';
import type { Entry } from '../../terminal/table.js';
import { localTime } from '../../terminal/time.js';
import { filledOrders } from '../../trading/pnl/kept-history.js';
import { LotLedger } from '../../trading/pnl/lots.js';
import { matchBills } from '../../trading/pnl/match-bills.js';
import { bookFill } from '../../trading/pnl/profit-and-loss.js';
import type { OrderPlan } from '../../trading/preview/preview.js';
import type { TradingContext } from '../../trading/trading-context.js';

/**
 * The gain that a sell would realise if all of it filled at its price, by the fills that `pit pnl` has kept: the line of a preview,
 * none if no cost is known. Asks the exchange nothing.
 */
export function knownGain({ keptHistory }: TradingContext, plan: OrderPlan): readonly Entry[] {
  const { market, side, account, orders } = plan;
  if (side === 'buy' || account !== 'spot') return [];
  const kept = keptHistory?.read();
  const readAt = kept?.ordersReadAt[market.market];
  if (kept === undefined || readAt === undefined) return [];
  const { fills } = matchBills({
    orders: filledOrders(kept).filter((order) => order.market === market.market),
    bills: kept.bills.filter(({ coin }) => coin === market.base || coin === market.quote),
    deposits: [],
    withdrawals: [],
  });
  const ledger = new LotLedger('fifo');
  for (const fill of fills) bookFill(ledger, fill);
  const lots = orders.flatMap(({ amount, price }) => {
    const sold = Decimal.of(amount);
    return ledger.sell(readAt, sold, sold.times(Decimal.of(price)));
  });
  const known = lots.filter(({ cost }) => cost !== null);
  if (known.length === 0) return [];
  const gain = Decimal.sum(known.map(({ proceeds, cost }) => proceeds.minus(cost ?? Decimal.zero)));
  const without = Decimal.sum(lots.filter(({ cost }) => cost === null).map(({ amount }) => amount));
  const rest = without.sign === 0 ? '' : `; ${formatAmount(without)} ${market.base} has no known cost`;
  const shown = grouped(signed(gain.rescaled(market.priceScale, 'down').toString()));
  const text = `${shown} ${market.quote} before fees, first in first out, by fills up to ${localTime(readAt)}${rest}`;
  return [['gain', text, (words, paint) => (shown.startsWith('-') ? paint.down(words) : words)]];
}
