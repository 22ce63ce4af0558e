import type { Market } from '../../client/market-catalog.js';
import { Decimal } from '../../protocol/decimal.js';
import type { OrderType, Side } from '../../protocol/words.js';
import type { OrderTerms } from '../journal/intent.js';
import { notionalOf } from '../order/terms.js';
import type { Breach, Seen } from './breach.js';
import type { GuardLimits } from './limits.js';
import type { GuardName } from './names.js';
import { checkNotionals } from './notional.js';
import { checkPostOnly } from './post-only.js';
import { checkBand } from './price-band.js';

/** Orders of one side of a market that are to be sent together; often only one. */
export interface Proposal {
  readonly market: Pick<Market, 'quote'>;
  readonly side: Side;
  readonly type: OrderType;
  readonly orders: readonly Pick<OrderTerms, 'price' | 'amount'>[];
}

/** What a proposal is held against. */
export interface Evidence {
  readonly seen: Seen;
  /** What the day's orders come to already, in the market's quote coin. */
  readonly today: Decimal;
}

export interface Guarded {
  /** In the order of {@link GUARDS}. */
  readonly breaches: readonly Breach[];
  /** What to beware of, as sentences. */
  readonly warnings: readonly string[];
}

/** Whether the guards have to see the market: not where those that look at it are off, or overridden. */
export function needMarket(type: OrderType, limits: GuardLimits, overridden: readonly GuardName[]): boolean {
  const band = limits.priceBand !== null && !overridden.includes('price-band');
  return band || (type === 'postOnly' && limits.postOnly && !overridden.includes('post-only'));
}

/** Holds a proposal against every guard. */
export function checkGuards(
  { market, side, type, orders }: Proposal,
  limits: GuardLimits,
  evidence: Evidence,
): Guarded {
  const prices = orders.map(({ price }) => Decimal.of(price));
  const notionals = orders.map(notionalOf);
  const band = checkBand(side, prices, limits.priceBand, evidence.seen);
  const crossing = type === 'postOnly' && limits.postOnly ? checkPostOnly(side, prices, evidence.seen) : null;
  const breaches = [band.breach, ...checkNotionals(notionals, market.quote, limits, evidence.today), crossing];
  return {
    breaches: breaches.filter((breach) => breach !== null),
    warnings: band.warning === null ? [] : [band.warning],
  };
}
