import { Decimal } from '../../domain/decimal.js';
import type { Bill } from '../../domain/funds.js';
import type { Side } from '../../domain/order.js';
import { type Fill, type MatchedHistory, movementsOf } from './matching/match-bills.js';
import type { Movement } from './matching/movement.js';
import type { BookedFee } from './matching/orders-to-match.js';
import { type Line, Statement } from './matching/statement.js';

/** A matched history without its bills, as lists of values: each bill is its place in the statement, each amount a text. */
export interface MatchedRows extends Pick<MatchedHistory, 'uncertain' | 'uncertainTransfers'> {
  readonly fills: readonly FillRow[];
  /** Those that are not of the fills. */
  readonly movements: readonly (Omit<Movement, 'amount' | 'fee' | 'bills'> & {
    readonly amount: string;
    readonly fee?: string | undefined;
    readonly bills: readonly number[];
  })[];
  readonly unmatched: readonly number[];
  readonly matchedTypes: readonly string[];
  readonly due: readonly (Omit<MatchedHistory['due'][number], 'amount'> & { readonly amount: string })[];
}

type FillRow = readonly [
  market: string,
  base: string,
  quote: string,
  side: Side,
  time: number,
  amount: string,
  value: string,
  fees: readonly FeeRow[],
  ofBase: readonly number[],
  ofQuote: readonly number[],
  order: string | null,
  place: number,
];

type FeeRow = readonly [coin: string | null, amount: string, time: number, bills: readonly number[] | 'sum'];

export function rowsOfMatched(matched: MatchedHistory): MatchedRows {
  const { uncertain, uncertainTransfers, bills, due } = matched;
  const unmatched = new Set(matched.unmatched);
  const feeRow = ({ coin, amount, time, bills: own }: BookedFee): FeeRow => [
    ...([coin, amount.toString(), time] as const),
    own === 'sum' ? own : placesOf(own),
  ];
  return {
    fills: matched.fills.map(({ market, base, quote, side, time, amount, value, fees, bills: own, order, place }) => {
      const amounts = [amount.toString(), value.toString(), fees.map(feeRow)] as const;
      return [market, base, quote, side, time, ...amounts, placesOf(own.base), placesOf(own.quote), order, place];
    }),
    movements: matched.movements
      .filter(({ market }) => market === null)
      .map(({ amount, fee, bills: own, ...movement }) => {
        const texts = { amount: amount.toString(), ...(fee === undefined ? {} : { fee: fee.toString() }) };
        return { ...movement, ...texts, bills: placesOf(own) };
      }),
    unmatched: [...bills.keys()].filter((place) => unmatched.has(bills[place] as Bill)),
    matchedTypes: [...matched.matchedTypes],
    due: due.map((fee) => ({ ...fee, amount: fee.amount.toString() })),
    ...{ uncertain, uncertainTransfers },
  };
}

/** @param bills the same as those of the history */
export function matchedOfRows(rows: MatchedRows, bills: readonly Bill[]): MatchedHistory {
  const { lines } = Statement.of(bills);
  const at = (places: readonly number[]) => places.map((place) => lines[place] as Line);
  const feeOf = ([coin, amount, time, own]: FeeRow): BookedFee => {
    return { coin, amount: Decimal.of(amount), time, bills: own === 'sum' ? own : at(own) };
  };
  const fills = rows.fills.map(([market, base, quote, side, time, amount, value, fees, ...own]): Fill => {
    const [ofBase, ofQuote, order, place] = own;
    const amounts = { amount: Decimal.of(amount), value: Decimal.of(value), fees: fees.map(feeOf) };
    return {
      market,
      base,
      quote,
      side,
      time,
      ...amounts,
      bills: { base: at(ofBase), quote: at(ofQuote) },
      order,
      place,
    };
  });
  const others = rows.movements.map(({ amount, fee, bills: own, ...movement }) => {
    const amounts = { amount: Decimal.of(amount), ...(fee === undefined ? {} : { fee: Decimal.of(fee) }) };
    return { ...movement, ...amounts, bills: at(own) };
  });
  const { uncertain, uncertainTransfers } = rows;
  return {
    fills,
    movements: [...fills.flatMap(movementsOf), ...others],
    bills,
    unmatched: rows.unmatched.map((place) => bills[place] as Bill),
    matchedTypes: new Set(rows.matchedTypes),
    due: rows.due.map((fee) => ({ ...fee, amount: Decimal.of(fee.amount) })),
    ...{ uncertain, uncertainTransfers },
  };
}

function placesOf(lines: readonly Line[]): number[] {
  return lines.map(({ place }) => place);
}
