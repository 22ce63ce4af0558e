import { Decimal } from '../../../src/domain/decimal.js';
import { COUNT, DECIMAL, ID, type PitHome, TEXT, TIME } from '../pit-home.js';

/** What these tests read of an order's answer. */
export interface Placed {
  readonly id: string;
  readonly clientId: string;
  readonly price: string;
  readonly amount: string;
  readonly notional: string;
}

export interface OrderRow {
  readonly id: string;
  readonly side: 'buy' | 'sell';
  readonly type: string;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  readonly remaining: string;
  readonly filledValue: string;
  readonly averagePrice: string | null;
  readonly fee: string;
  readonly time: string;
  readonly state: string;
}

export interface Balance {
  readonly coin: string;
  readonly available: string;
  readonly frozen: string;
  readonly total: string;
}

/** Every field of the contract's order row, with the given changes. */
export const ORDER_ROW = {
  id: ID,
  clientId: TEXT,
  market: 'btc_usdt',
  side: 'buy',
  type: 'limit',
  account: null,
  price: DECIMAL,
  amount: DECIMAL,
  filled: DECIMAL,
  remaining: DECIMAL,
  filledValue: DECIMAL,
  averagePrice: null as unknown,
  fee: DECIMAL,
  feeCoin: 'btc',
  feeDiscount: false,
  time: TIME,
  state: 'open',
  status: COUNT,
  algo: null as string | null,
};

/** Places an order that is expected to be taken. */
export function place(pit: PitHome, words: string): Promise<Placed> {
  return pit.json<Placed>(`order ${words} --yes`);
}

export function shown(pit: PitHome, { id }: Placed, market = 'btc_usdt'): Promise<OrderRow> {
  return pit.json<OrderRow>(`order show ${market} ${id}`);
}

/** The balances by coin, those of nothing included. */
export async function balances(pit: PitHome): Promise<Map<string, Balance>> {
  const rows = await pit.json<Balance[]>('balance --all');
  return new Map(rows.map((row) => [row.coin, row]));
}

/** Whether two texts are the same number: `1.50` and `1.5` are. */
export function same(left: string, right: string): boolean {
  return Decimal.of(left).compare(Decimal.of(right)) === 0;
}

/** An exact sum; a term with a minus sign is subtracted. */
export function sum(...numbers: readonly string[]): string {
  return numbers
    .reduce((total, number) => total.plus(Decimal.of(number)), Decimal.zero)
    .trimmed()
    .toString();
}

export function product(left: string, right: string): string {
  return Decimal.of(left).times(Decimal.of(right)).trimmed().toString();
}
