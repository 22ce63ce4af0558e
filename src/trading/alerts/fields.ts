import { isCrossed, midOf } from '../../domain/book.js';
import { Decimal } from '../../domain/decimal.js';
import type { Ticker } from '../../domain/market-data.js';

/** A number of a market that an alert may wait for. Parser, messages, help, completion, crossings and what is printed follow from it. */
export interface AlertField {
  /** A condition with it, for messages. */
  readonly example: string;
  readonly unit: 'price' | 'percent' | 'base coin';
  /** Whether it may be below zero. */
  readonly isSigned?: true;
  /** What shows each change of it (default: the ticker). */
  readonly shownBy?: 'trades';
  /** Its place in the best prices, if they show it. */
  readonly bestPrice?: 'bid' | 'ask';
  /** By how much it has to move back before a crossing counts again: a share of its level, or a distance if the level may be zero. */
  readonly back: { readonly share: Decimal } | { readonly distance: Decimal };
  /** Null if it has none now. */
  valueIn(ticker: Ticker): Decimal | null;
}

const PRICE_BACK = { share: Decimal.of('0.001') };

/** `high`, `low` and `volume` are of 24 hours, `change` is over 24 hours; `spread` is a share of the middle of bid and ask. */
export const ALERT_FIELDS = {
  last: {
    example: 'last>30000',
    unit: 'price',
    shownBy: 'trades',
    back: PRICE_BACK,
    valueIn: ({ last }) => priceOf(last),
  },
  bid: {
    example: 'bid<27000',
    unit: 'price',
    bestPrice: 'bid',
    back: PRICE_BACK,
    valueIn: ({ bid }) => priceOf(bid),
  },
  ask: {
    example: 'ask>=28000',
    unit: 'price',
    bestPrice: 'ask',
    back: PRICE_BACK,
    valueIn: ({ ask }) => priceOf(ask),
  },
  high: { example: 'high>31000', unit: 'price', back: PRICE_BACK, valueIn: ({ high }) => numberIn(high) },
  low: { example: 'low<26000', unit: 'price', back: PRICE_BACK, valueIn: ({ low }) => numberIn(low) },
  change: {
    example: 'change>5%',
    unit: 'percent',
    isSigned: true,
    back: { distance: Decimal.of('0.1') },
    valueIn: ({ change }) => numberIn(change),
  },
  spread: {
    example: 'spread>0.1%',
    unit: 'percent',
    back: { share: Decimal.of('0.1') },
    valueIn: ({ bid, ask }) => spreadOf(priceOf(bid), priceOf(ask)),
  },
  volume: {
    example: 'volume>1000',
    unit: 'base coin',
    back: { share: Decimal.of('0.01') },
    valueIn: ({ volume }) => numberIn(volume),
  },
} as const satisfies Readonly<Record<string, AlertField>>;

export type Field = keyof typeof ALERT_FIELDS;

export function alertField(name: Field): AlertField {
  return ALERT_FIELDS[name];
}

function numberIn(text: string | null): Decimal | null {
  return text === null ? null : Decimal.of(text);
}

/** A price of zero counts as none. */
function priceOf(text: string | null): Decimal | null {
  const price = numberIn(text);
  return price === null || price.sign <= 0 ? null : price;
}

const SPREAD_DECIMALS = 6;

function spreadOf(bid: Decimal | null, ask: Decimal | null): Decimal | null {
  const mid = midOf({ bid, ask });
  if (bid === null || ask === null || mid === null || isCrossed({ bid, ask })) return null;
  return ask.minus(bid).times(Decimal.of('100')).dividedBy(mid, SPREAD_DECIMALS, 'down').trimmed();
}
