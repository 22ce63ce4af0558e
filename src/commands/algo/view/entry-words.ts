import * as shape from '../../../cli/shapes.js';
import type { BestPrices } from '../../../domain/book.js';
import { type Decimal, formatAmount, formatPrice } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import { percentText } from '../../../trading/algos/plan/check-terms.js';
import type { AlgoEntry, AlgoEntryName, EntryOf, EntryParts } from '../../../trading/algos/plan/entries/entry-terms.js';
import { partCount } from '../../../trading/algos/plan/entries/iceberg.js';
import { sliceCounts } from '../../../trading/algos/plan/entries/twap.js';
import type { AlgoTerms } from '../../../trading/algos/plan/terms.js';
import { bandText, durationText } from './terms-text.js';

/** The printed terms of an entry, beside its kind, its price and its conditions. */
export const ENTRY_PARTS = {
  overMs: shape.nullable(shape.integer('how long slices take, in milliseconds')),
  everyMs: shape.nullable(shape.integer('the time between two slices, in milliseconds')),
  passive: shape.boolean('whether slices rest'),
  show: shape.nullable(shape.decimal('how much of an iceberg rests at most')),
} satisfies { readonly [Name in keyof EntryParts]: shape.Shape<EntryParts[Name]> };

/** What a kind of entry is called wherever pit shows one. */
interface EntryWords<Entry extends AlgoEntry> {
  /** What its price is called in a preview. */
  readonly price: 'price' | 'limit';
  /** What rests of it at the exchange: `MOVING` if that changes, or nothing does. */
  readonly rests: string;
  /** What happens only while pit watches. */
  readonly onlyPit: readonly string[];
  /** The last of its orders, after "the". */
  readonly last: string;
  /** What becomes of it without the coins for its orders. */
  readonly lacking: string;
  /** How it trades, after its side, amount and market: `at 27,500.00`. */
  how(entry: Entry, market: Market): string;
  /** The same in a list. */
  cell(entry: Entry, market: Market): string;
  /** What else a preview and a record show of it, under a label. */
  rows(entry: Entry, market: Market): readonly (readonly [label: string, text: string])[];
  /** What pit does, as a sentence that begins with `pit`. */
  does(terms: AlgoTerms, entry: Entry, best: BestPrices, priceBand: Decimal | null | undefined): string;
}

const ORDER_TYPES = { limit: 'a limit', postOnly: 'a PostOnly', ioc: 'an IOC' } as const;
const PAUSES = 'it pauses when it would place its order';
const MOVING = 'the order that rests at the moment, if any';

const ENTRY_WORDS: { readonly [Name in AlgoEntryName]: EntryWords<EntryOf<Name>> } = {
  limit: {
    ...{ price: 'price', rests: 'the order of the entry', onlyPit: [], last: 'entry', lacking: PAUSES },
    how: ({ price }, market) => `at ${formatPrice(price, market)}`,
    cell: ({ price }, market) => `at ${formatPrice(price, market)}`,
    rows: () => [],
    does: (terms, { type, price }) =>
      `pit places ${ORDER_TYPES[type]} order to ${terms.side} ${sizeText(terms)} at ${formatPrice(price, terms.market)}.`,
  },
  twap: {
    ...{ price: 'limit', rests: MOVING, onlyPit: ['the slices'], last: 'last slices' },
    lacking: 'it pauses when a slice lacks them',
    how: ({ durationMs }) => `over ${durationText(durationMs)}`,
    cell: ({ durationMs }) => `over ${durationText(durationMs)}`,
    rows: () => [],
    does(terms, entry, best, priceBand) {
      const verb = terms.side === 'buy' ? 'buys' : 'sells';
      const slices = slicesText(terms, entry, best, priceBand);
      const bound = boundText(terms, entry.bound);
      return `pit ${verb} ${sizeText(terms)} over ${durationText(entry.durationMs)} ${slices}${bound}. What a slice leaves is spread over the time that is left.`;
    },
  },
  chase: {
    ...{ price: 'limit', rests: MOVING, onlyPit: ['the chase'], last: 'entry', lacking: PAUSES },
    how: () => 'by chasing the best price',
    cell: () => 'chase',
    rows: () => [],
    does(terms, { bound }) {
      const own = ownSide(terms);
      return `pit rests PostOnly at the best ${own} to ${terms.side} ${sizeText(terms)}${boundText(terms, bound)}, and follows the best ${own} at most once a second.`;
    },
  },
  iceberg: {
    ...{ price: 'price', rests: 'the part that rests', onlyPit: ['the next parts'], last: 'last parts' },
    lacking: 'it pauses when a part lacks them',
    how: ({ price, show }, market) => `at ${formatPrice(price, market)}, ${formatAmount(show)} at a time`,
    cell: ({ price, show }, market) => `at ${formatPrice(price, market)}, ${formatAmount(show)} at a time`,
    rows: ({ show }, { base }) => [['shows', `${formatAmount(show)} ${base} at most`]],
    does(terms, entry) {
      const { side, market } = terms;
      const parts = `${partCount(terms, entry)} ${entry.type === 'postOnly' ? 'PostOnly orders' : 'orders'}`;
      return `pit places ${parts} to ${side} ${sizeText(terms)} at ${formatPrice(entry.price, market)}, one after the other: at most ${formatAmount(entry.show)} ${market.base} rests, and the next one is placed when the last has filled.`;
    },
  },
};

/** What the kind of an entry is called. */
export function wordsOf({ kind }: AlgoEntry): EntryWords<AlgoEntry> {
  // each kind is asked about its own entries only
  return ENTRY_WORDS[kind] as EntryWords<AlgoEntry>;
}

function sizeText({ amount, market }: AlgoTerms): string {
  return `${formatAmount(amount)} ${market.base}`;
}

/** The side of the book on which its orders rest. */
function ownSide({ side }: AlgoTerms): 'bid' | 'ask' {
  return side === 'buy' ? 'bid' : 'ask';
}

function boundText({ side, market }: AlgoTerms, bound: Decimal | null): string {
  return bound === null ? '' : `, never ${side === 'buy' ? 'above' : 'below'} ${formatPrice(bound, market)}`;
}

function slicesText(
  terms: AlgoTerms,
  entry: EntryOf<'twap'>,
  best: BestPrices,
  priceBand: Decimal | null | undefined,
): string {
  const { side, slippage } = terms;
  const price = entry.bound ?? (side === 'buy' ? best.ask : best.bid);
  const { slots, slices } = sliceCounts(terms, entry, price);
  const fewer = slices < slots ? ` (more, one each ${durationText(entry.everyMs)}, would be below the minimum)` : '';
  const how = entry.isPassive
    ? `each PostOnly at the best ${ownSide(terms)}`
    : `each filling at once, up to ${percentText(slippage)} past the best ${side === 'buy' ? 'ask' : 'bid'}${bandText(slippage, priceBand)}`;
  return `in ${slices} ${slices === 1 ? 'slice' : 'slices'}${fewer}, ${how}`;
}
