import { Decimal } from '../../../../domain/decimal.js';
import type { Market } from '../../../../domain/market.js';
import { leastAmount } from '../../../orders/terms.js';
import { crosses } from '../../../preview/market-view.js';
import { type Child, least, positive } from '../children.js';
import {
  asItIs,
  type DecisionInput,
  entriesOf,
  entryRest,
  hasArrived,
  type LegPlan,
  newestOf,
  openOf,
  over,
  wanting,
} from '../decision-input.js';
import { hitPrice, limitWithSlippage, noWorse, onTick, restingPrice } from '../prices.js';
import type { AlgoTerms } from '../terms.js';
import type { AlgoEntryKind } from './entry-kind.js';
import type { EntryOf } from './entry-terms.js';

type Twap = EntryOf<'twap'>;

/**
 * Slices over a time. The time is cut into slots, and each slot has one child: what the last one has left, and an even share of the rest
 * for the slots that are left. So a slot that was missed is spread over the later ones. If a share is below the minimums, there are fewer
 * children, evenly apart:
 *
 *     10 slots, 4 children   |#.#.#..#..|
 */
export const TWAP: AlgoEntryKind<Twap> = {
  followsMarket: true,
  isSplit: true,
  priceOf: ({ bound }) => bound,
  withPrice: ({ bound, ...entry }, change) => ({ ...entry, bound: bound && change(bound) }),
  typeOf: ({ isPassive }) => (isPassive ? 'postOnly' : 'ioc'),
  mostOpenOf: () => null,
  check: () => undefined,
  largestOf(terms, entry, price) {
    const { slices } = sliceCounts(terms, entry, price);
    return terms.amount.dividedBy(Decimal.fromUnits(BigInt(slices), 0), terms.market.amountScale, 'up');
  },
  plan(input, twap, start) {
    const { terms, market } = input;
    const entries = entriesOf(input);
    const open = openOf(entries, 'entry');
    const slots = slotsOf(twap, start);
    const price = priceOf(input, twap);
    if (market.now >= slots.end) return over(`its time is over${whyLeftText(input, twap, price)}`);
    // without a price nothing is placed: then the minimum does not matter
    const smallest = price === null ? Decimal.zero : leastAmount(terms.market, price);
    const rest = entryRest(input);
    const last = newestOf(entries.filter((child) => hasArrived(child) && child.duplicate === null));
    const due = dueSlot(slots, last, rest, smallest);
    const slot = slots.at(market.now);
    const keep = (until: number, reason: string | null): LegPlan => ({
      wanted: open === null ? null : asItIs(open),
      isOver: false,
      reason,
      until,
    });
    if (due === null) return open === null ? over('no slice is left') : keep(slots.end, null);
    if (slot < due) return keep(slots.startOf(due), null);
    if (price === null) return keep(slots.end, waitText(input, twap));
    const amount = sliceOf(terms, slots, slot, rest, last, smallest);
    if (amount === null) return over('what is left is below the minimum');
    const type = TWAP.typeOf(twap);
    return { ...wanting({ role: 'entry', type, price, amount, notBefore: null }), until: slots.end };
  },
  parts: ({ durationMs, everyMs, isPassive }) => ({ overMs: durationMs, everyMs, passive: isPassive }),
};

/** How many slices a TWAP has at a price: fewer than its time allows if they would be below the minimum. */
export function sliceCounts(
  { amount, market }: Pick<AlgoTerms, 'amount' | 'market'>,
  { durationMs, everyMs }: { readonly durationMs: number; readonly everyMs: number },
  price: Decimal | null,
): { readonly slots: number; readonly slices: number } {
  const slots = Math.max(1, Math.floor(durationMs / everyMs));
  if (price === null) return { slots, slices: slots };
  const most = amount.dividedBy(leastAmount(market, price), 0, 'down');
  const slices = most.compare(Decimal.fromUnits(BigInt(slots), 0)) < 0 ? Math.max(1, Number(most.toString())) : slots;
  return { slots, slices };
}

/** The slots of a TWAP, counted from 0. */
interface Slots {
  readonly count: number;
  readonly end: number;
  /** The slot of a time; the last one for what is later. */
  at(time: number): number;
  startOf(slot: number): number;
}

function slotsOf({ durationMs, everyMs }: Twap, start: number): Slots {
  const lasts = Math.max(1, durationMs);
  const count = Math.max(1, Math.floor(lasts / Math.max(1, everyMs)));
  return {
    count,
    end: start + lasts,
    at: (time) => Math.min(count - 1, Math.max(0, Math.floor(((time - start) * count) / lasts))),
    startOf: (slot) => start + Math.ceil((slot * lasts) / count),
  };
}

/** The slot in which the next child is due; null if no other is: the slots are used up, or what is left is too small. */
function dueSlot(slots: Slots, last: Child | null, rest: Decimal, smallest: Decimal): number | null {
  if (last === null) return 0;
  const used = slots.at(last.time);
  const later = slots.count - 1 - used;
  const children = Math.min(later, countOf(rest, smallest));
  return children === 0 ? null : used + Math.floor((later + 1) / (children + 1));
}

/**
 * The amount of a slot's child in whole lots: at least the minimum, and at most two slices. Null if less than the minimum is left.
 * Slices are rounded down until the last ones take the lots that this leaves. So two slices are counted as rounded up: two of the last
 * ones fit into one child.
 * @param last the child before it, whose unfilled part comes along
 */
function sliceOf(
  { amount, market }: AlgoTerms,
  slots: Slots,
  slot: number,
  rest: Decimal,
  last: Child | null,
  smallest: Decimal,
): Decimal | null {
  if (rest.compare(smallest) < 0) return null;
  const carried = last === null ? Decimal.zero : least(positive(last.amount.minus(last.filled)), rest);
  const fresh = rest.minus(carried);
  const children = Math.max(1, Math.min(slots.count - slot, countOf(fresh, smallest)));
  const slices = Math.max(1, Math.min(slots.count, countOf(amount, smallest)));
  return least(carried.plus(lotsOf(fresh, children, market, 'down')), lotsOf(amount, slices, market, 'up').times(TWO));
}

const TWO = Decimal.of('2');

/** How many times an amount contains another; as good as endless for zero. */
function countOf(amount: Decimal, part: Decimal): number {
  if (part.sign <= 0) return amount.sign > 0 ? Number.MAX_SAFE_INTEGER : 0;
  return Number(amount.dividedBy(part, 0, 'down').toString());
}

function lotsOf(amount: Decimal, parts: number, rules: Market, rounding: 'up' | 'down'): Decimal {
  return amount.dividedBy(Decimal.fromUnits(BigInt(parts), 0), rules.amountScale, rounding);
}

/** The price of the next child; null if the market shows none, or nothing would fill within the bound. */
function priceOf({ terms, market }: DecisionInput, { isPassive, bound }: Twap): Decimal | null {
  const { side } = terms;
  if (isPassive) {
    const best = restingPrice(market, side);
    const price = best === null ? null : onTick(terms.market, side, noWorse(side, best, bound));
    return price !== null && price.sign > 0 ? price : null;
  }
  const opposite = hitPrice(market, side);
  if (opposite === null) return null;
  const limit = limitWithSlippage(terms, side, opposite, market, bound);
  return crosses(side, limit, opposite) ? limit : null;
}

/** What kept slices from filling, in words that follow. */
function whyLeftText(input: DecisionInput, twap: Twap, price: Decimal | null): string {
  const { paused } = input.facts;
  if (paused !== null) return `, and it was paused: ${paused.reason}`;
  const refusal = newestOf(entriesOf(input).filter(({ duplicate }) => duplicate === null))?.refusal ?? null;
  if (refusal !== null) return `, and the exchange rejected the last slice: ${refusal.message}`;
  if (price === null) return `, and ${waitText(input, twap)}`;
  return twap.isPassive ? ', and a passive order fills only when the market comes to it' : '';
}

function waitText({ terms, market }: DecisionInput, { isPassive, bound }: Twap): string {
  const price = isPassive ? restingPrice(market, terms.side) : hitPrice(market, terms.side);
  return price === null || bound === null
    ? 'the market shows no price for the next slice'
    : `the price ${price} is beyond the limit ${bound}`;
}
