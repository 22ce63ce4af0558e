import { formatAmount, formatAverageLike } from '../../domain/decimal.js';
import type { OwnFill } from '../../trading/orders/own-fills.js';

/** More than any price has. */
const AVERAGE_DECIMALS = 12;

/**
 * `Filled  buy 0.01 btc at 28,152.93, order 17, 0.04 btc left`: the average price if there were several trades.
 * @param namesMarket whether the market is said: where others are seen, too
 */
export function fillText({ order, amount, value, left }: OwnFill, namesMarket: boolean): string {
  const { id, market, side, price, state } = order;
  const [base = ''] = market.split('_');
  const average = value.dividedBy(amount, AVERAGE_DECIMALS, side === 'buy' ? 'up' : 'down');
  const shown = formatAverageLike(average.trimmed().toString(), side, price);
  const rest = {
    filled: 'all filled',
    cancelled: 'the rest cancelled',
    open: `${formatAmount(left)} ${base} left`,
    other: `${formatAmount(left)} ${base} left`,
  }[state];
  const where = namesMarket ? ` in ${market}` : '';
  return `Filled  ${side} ${formatAmount(amount)} ${base} at ${shown}${where}, order ${id}, ${rest}`;
}
