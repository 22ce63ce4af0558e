import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { OrderType, Side } from '../../domain/words.js';
import { Failure } from '../../errors.js';
import type { OrderTerms } from '../journal/intent.js';
import { bestOf } from '../market-view.js';
import { worthOfOrder } from '../orders/terms.js';
import { type Breach, isSeen, type Seen, unchecked } from './breach.js';
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
  const unseen = side === 'sell' && evidence.seen instanceof Failure ? evidence.seen : undefined;
  const notional = NOTIONAL_GUARDS.map(
    (guard) =>
      overLimit.find((breach) => breach.guard === guard) ?? uncheckedLimit(guard, market.quote, limits, unseen),
  );
  const said = notional.map((breach) => breach && sayingWhy(breach, prices, bid));
  const breaches = [band.breach, ...said, crossing];
  return {
    breaches: breaches.filter((breach) => breach !== null),
    warnings: band.warning === null ? [] : [band.warning],
    bid,
  };
}

const NOTIONAL_GUARDS = ['order-notional', 'day-notional'] as const;

/** What a sell comes to nobody can tell without the best bid, where it does not break the limit at its own price already. */
function uncheckedLimit(
  guard: (typeof NOTIONAL_GUARDS)[number],
  quote: string,
  { orderNotional, dayNotional }: GuardLimits,
  unseen: Failure | undefined,
): Breach | null {
  const isSet = (guard === 'order-notional' ? orderNotional : dayNotional).has(quote);
  return unseen === undefined || !isSet ? null : unchecked(guard, unseen);
}

/** Of sells that count for more than price x amount: of the one that the breach is about, or any where it is about all. */
function sayingWhy(breach: Breach, prices: readonly Decimal[], bid: string | undefined): Breach {
  const [first] = breach.orders;
  const those = first === undefined ? prices : prices.slice(first, first + 1);
  if (bid === undefined || !those.some((price) => price.compare(Decimal.of(bid)) < 0)) return breach;
  return { ...breach, message: `${breach.message}; a sell below the best bid (${bid}) counts at that bid` };
}
