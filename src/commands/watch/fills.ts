import { type Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import { signed } from '../../terminal/cells.js';
import type { Meaning } from '../../terminal/palette.js';
import type { Screen } from '../../terminal/screen.js';
import { dayResult, type FilledToday, type OwnFill } from '../../trading/orders/own-fills.js';
import { fillText } from '../order/fill-text.js';
import type { Area } from './layout.js';
import { Panel } from './panel.js';

/** What own orders have filled, as far as it is shown. */
export interface WatchedFills {
  /** The last news: the fills that came together, the last one last. */
  readonly news: readonly OwnFill[];
  readonly ownTrades: ReadonlySet<string>;
  /** Newest first; null before today's orders have been read. */
  readonly today: readonly FilledToday[] | null;
  /** Why they cannot be read; null if they can. */
  readonly problem: string | null;
}

export const NO_FILLS: WatchedFills = { news: [], ownTrades: new Set(), today: null, problem: null };

/** The line of the last news, which stays until the next; null before the first. */
export function newsText({ news }: WatchedFills): string | null {
  const last = news.at(-1);
  if (last === undefined) return null;
  const others = news.length === 1 ? '' : `, and ${news.length - 1} more`;
  return `${fillText(last, false)}${others}`;
}

interface FillInput {
  readonly fills: WatchedFills;
  readonly market: Market;
  /** The last price. */
  readonly last: Decimal | null;
  readonly screen: Screen;
}

/** Profit and loss of today, what was bought and sold, and the newest fills. */
export function fillPanel(area: Area, { fills, market, last, screen }: FillInput): Panel {
  const { today, problem } = fills;
  const panel = new Panel(area, 'Filled today', undefined, screen.symbols);
  if (today === null || today.length === 0) {
    panel.say(problem ?? (today === null ? 'Reading the orders of today.' : `No fills today in ${market.market}.`));
    return panel;
  }
  const { base, quote, priceScale } = market;
  const { bought, boughtValue, sold, soldValue, net } = dayResult(today, market, last);
  const shownNet = net === null ? 'unknown' : grouped(signed(net.rescaled(priceScale, 'down').toString()));
  panel.put(2, 0, 'result');
  panel.put(9, 0, net === null ? shownNet : `${shownNet} ${quote}`, meaningOf(net));
  panel.put(9 + shownNet.length + quote.length + 3, 0, 'after fees, at the last price', 'faint');
  const sides = [
    ['bought', bought, boughtValue, 'up'],
    ['sold', sold, soldValue, 'down'],
  ] as const;
  const texts = sides.flatMap(([word, amount, value, rounding]) => {
    if (amount.sign === 0) return [];
    const average = grouped(value.dividedBy(amount, priceScale, rounding).toString());
    return `${word} ${formatAmount(amount)} ${base} at ${average}`;
  });
  panel.put(2, 1, texts.join('  '));
  const rows = today.slice(0, Math.max(0, panel.rows - 2)).map(({ side, time, amount, value }) => ({
    ...{ side, time: clockText(time), amount: formatAmount(amount) },
    price: grouped(value.dividedBy(amount, priceScale, side === 'buy' ? 'up' : 'down').toString()),
  }));
  const priceEnd = 17 + Math.max(0, ...rows.map(({ price }) => price.length));
  const amountEnd = priceEnd + 2 + Math.max(0, ...rows.map(({ amount }) => amount.length));
  rows.forEach(({ side, time, price, amount }, index) => {
    const meaning = side === 'buy' ? 'bid' : 'ask';
    panel.put(2, index + 2, time, 'faint');
    panel.put(12, index + 2, side, meaning);
    panel.putRight(priceEnd, index + 2, price, meaning);
    panel.putRight(amountEnd, index + 2, amount);
    panel.put(amountEnd + 1, index + 2, base, 'faint');
  });
  return panel;
}

function meaningOf(net: Decimal | null): Meaning | undefined {
  if (net === null || net.sign === 0) return undefined;
  return net.sign > 0 ? 'up' : 'down';
}

/** In local time, without the day. */
export function clockText(ms: number): string {
  const date = new Date(ms);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':');
}
