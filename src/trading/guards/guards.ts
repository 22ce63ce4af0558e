import type { Market } from '../../client/market-catalog.js';
import { Decimal } from '../../protocol/decimal.js';
import type { OrderType, Side } from '../../protocol/words.js';
import type { OrderTerms } from '../journal/intent.js';
import { bestOf } from '../market-view.js';
import { worthOfOrder } from '../order/terms.js';
import { type Breach, isSeen, type Seen } from './breach.js';
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
  /** The best bid that sells were held against: they go on record with it. Undefined for buys, and where nobody has seen it. */
  readonly bid: string | undefined;
}

/**
 * Whether the guards have to see the market: not where those that look at it are off, or overridden. Of the limits in the
 * quote coin these are the ones that hold a sell.
 */
export function needMarket(
  { side, type, quote }: Pick<Proposal, 'side' | 'type'> & Pick<Market, 'quote'>,
  limits: GuardLimits,
  overridden: readonly GuardName[],
): boolean {
  const holds = (guard: GuardName) => !overridden.includes(guard);
  if (limits.priceBand !== null && holds('price-band')) return true;
  if (type === 'postOnly' && limits.postOnly && holds('post-only')) return true;
  const perOrder = limits.orderNotional.has(quote) && holds('order-notional');
  return side === 'sell' && (perOrder || (limits.dayNotional.has(quote) && holds('day-notional')));
}

/** Holds a proposal against every guard. */
export function checkGuards(
  { market, side, type, orders }: Proposal,
  limits: GuardLimits,
  evidence: Evidence,
): Guarded {
  const prices = orders.map(({ price }) => Decimal.of(price));
  const bid = side === 'sell' && isSeen(evidence.seen) ? bestOf(evidence.seen.bids)?.toString() : undefined;
  const notionals = orders.map((order) => worthOfOrder({ ...order, side }, bid));
  const band = checkBand(side, prices, limits.priceBand, evidence.seen);
  const crossing = type === 'postOnly' && limits.postOnly ? checkPostOnly(side, prices, evidence.seen) : null;
  const overLimit = checkNotionals(notionals, market.quote, limits, evidence.today);
  const breaches = [band.breach, ...overLimit.map((breach) => sayingWhy(breach, prices, bid)), crossing];
  return {
    breaches: breaches.filter((breach) => breach !== null),
    warnings: band.warning === null ? [] : [band.warning],
    bid,
  };
}

/** Of sells that count for more than price x amount. */
function sayingWhy(breach: Breach, prices: readonly Decimal[], bid: string | undefined): Breach {
  if (bid === undefined || !prices.some((price) => price.compare(Decimal.of(bid)) < 0)) return breach;
  return { ...breach, message: `${breach.message}; a sell below the best bid (${bid}) counts at that bid` };
}
