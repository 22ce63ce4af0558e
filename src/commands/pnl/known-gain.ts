import { Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import { signed } from '../../terminal/cells.js';
import type { Entry } from '../../terminal/table.js';
import { localTime } from '../../terminal/time.js';
import { gainOf } from '../../trading/pnl/book.js';
import type { OrderPlan } from '../../trading/preview/preview.js';
import type { TradingContext } from '../../trading/trading-context.js';

/**
 * The gain that a sell would realise if all of it filled at its price, by the fills that `pit pnl` has kept: the line of a preview,
 * none if no cost is known. Asks the exchange nothing.
 */
export function knownGain({ keptLots }: TradingContext, plan: OrderPlan): readonly Entry[] {
  const { market, side, account, orders } = plan;
  if (side === 'buy' || account !== 'spot') return [];
  const kept = keptLots?.read(market.market);
  if (kept === undefined) return [];
  const { readAt, queue } = kept;
  const lots = orders.flatMap(({ amount, price }) => {
    const sold = Decimal.of(amount);
    const proceeds = sold.times(Decimal.of(price));
    return queue.close({
      ...{ closed: readAt, closedBy: null, closing: 'sell', amount: sold, proceeds, fee: null },
    });
  });
  const known = lots.filter(({ cost }) => cost !== null);
  if (known.length === 0) return [];
  const gain = Decimal.sum(known.flatMap((lot) => gainOf(lot) ?? []));
  const without = Decimal.sum(lots.filter(({ cost }) => cost === null).map(({ amount }) => amount));
  const rest = without.sign === 0 ? '' : `; ${formatAmount(without)} ${market.base} has no known cost`;
  const shown = grouped(signed(gain.rescaled(market.priceScale, 'down').toString()));
  const text = `${shown} ${market.quote} before fees, first in first out, by fills up to ${localTime(readAt)}${rest}`;
  return [['gain', text, (words, paint) => (shown.startsWith('-') ? paint.down(words) : words)]];
}
