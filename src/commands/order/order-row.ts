import { fieldColumns } from '../../cli/field-columns.js';
import * as shape from '../../cli/shapes.js';
import { Decimal, formatAmount, formatAverage, grouped } from '../../domain/decimal.js';
import { ACCOUNT_TYPES, ORDER_TYPES, type Order, SIDES } from '../../domain/order.js';
import { paintSide, sideColumn, sideText } from '../../terminal/cells.js';
import type { Paint } from '../../terminal/palette.js';
import type { Screen } from '../../terminal/screen.js';
import { type Column, type RecordLine, record } from '../../terminal/table.js';
import { isoTime, localTime, timeTitle } from '../../terminal/time.js';
import { parentOf } from '../../trading/algos/record/child-name.js';
import { averageOfFills } from '../../trading/orders/terms.js';
import { feeText } from './fills-so-far.js';

/** What an order asks for. */
export const ORDER_TERMS = {
  side: shape.enumOf(SIDES, ''),
  type: shape.enumOf(ORDER_TYPES, ''),
  account: shape.enumOf(ACCOUNT_TYPES, ''),
  price: shape.decimal('in the quote coin'),
  amount: shape.decimal('in the base coin'),
  notional: shape.decimal('price times amount, in the quote coin'),
};

export const ORDER = {
  id: shape.id('of the order'),
  clientId: shape.nullable(shape.text('your own id; null if pit did not place it lately')),
  market: shape.outsideText(''),
  side: shape.enumOf(SIDES, ''),
  type: shape.enumOf([...ORDER_TYPES, 'other'], ''),
  account: shape.nullable(shape.enumOf(ACCOUNT_TYPES, 'the exchange does not report it')),
  price: shape.decimal('in the quote coin'),
  amount: shape.decimal('in the base coin'),
  filled: shape.decimal('in the base coin'),
  remaining: shape.decimal('amount less what has filled'),
  filledValue: shape.decimal('in the quote coin'),
  averagePrice: shape.nullable(shape.decimal('null if nothing has filled')),
  fee: shape.nullable(shape.decimal('so far')),
  feeCoin: shape.nullable(shape.outsideText('as observed')),
  feeDiscount: shape.boolean("paid with the platform's own coin"),
  time: shape.time('when it was placed'),
  state: shape.enumOf(['open', 'filled', 'cancelled', 'other'], ''),
  status: shape.integer("the exchange's own code"),
  algo: shape.nullable(shape.text('its algo order')),
};

/** An order at the exchange. */
export type OrderRow = shape.InferFields<typeof ORDER>;

/** An order as a row of output. The exchange names a client id only if the order was asked for by it. */
export function orderRow(order: Order, clientId = order.clientId): OrderRow {
  const { id, market, side, type, price, amount, filled, filledValue, fee, feeCoin, feeDiscount, time, state, status } =
    order;
  return {
    id,
    clientId,
    market,
    side,
    type,
    account: null,
    price,
    amount,
    filled,
    remaining: Decimal.of(amount).minus(Decimal.of(filled)).toString(),
    filledValue,
    averagePrice: averageOfFills(order),
    fee,
    feeCoin,
    feeDiscount,
    time: isoTime(time),
    state,
    status,
    algo: clientId === null ? null : (parentOf(clientId) ?? null),
  };
}

const column = fieldColumns<OrderRow>(shape.object(ORDER));

const MARKET_COLUMN = column('market', { importance: 10, paint: (text, _, paint) => paint.strong(text) });

const ALGO_COLUMN = column('algo', { importance: 7 });

/** Sorts by the time of placing, and then by id: the exchange numbers its orders in that order too. */
export function newestFirst<Time extends string | number>(
  left: { readonly time: Time; readonly id: string },
  right: { readonly time: Time; readonly id: string },
): number {
  if (left.time !== right.time) return left.time < right.time ? 1 : -1;
  return right.id.length - left.id.length || (left.id < right.id ? 1 : -1);
}

/** An order's columns in a list. */
export const orderColumns = (ofSeveralMarkets = false, ofAlgos = false): readonly Column<OrderRow>[] => [
  column('time', { importance: 4 }),
  column('id', { rowKey: ({ id }) => id, importance: 9 }),
  ...(ofSeveralMarkets ? [MARKET_COLUMN] : []),
  ...(ofAlgos ? [ALGO_COLUMN] : []),
  sideColumn((row: OrderRow) => row.side, { importance: 8 }),
  column('price', { importance: 8 }),
  column('amount', { value: ({ amount }) => formatAmount(amount), importance: 7 }),
  column('filled', { value: ({ filled }) => formatAmount(filled), importance: 6 }),
  column('averagePrice', { title: 'average', value: averageText, importance: 2 }),
  column('fee', { value: feeText, align: 'right', importance: 1 }),
  column('type', { importance: 3 }),
  column('state', { importance: 5, paint: (text, row, paint) => paintState(text, row, paint) }),
];

/** The average with the decimals of the order's price, which the exchange lists with those of the market. */
function averageText({ averagePrice, price, side }: OrderRow): string | null {
  const market = { priceScale: Decimal.of(price).scale };
  return averagePrice === null ? null : formatAverage(averagePrice, market, side === 'buy' ? 'up' : 'down');
}

function paintState(text: string, { state }: OrderRow, paint: Paint): string {
  if (state === 'open') return paint.strong(text);
  return state === 'filled' ? paint.good(text) : paint.faint(text);
}

/** One order with everything that is known of it. */
export function orderRecord(screen: Screen, row: OrderRow): string {
  const { side } = row;
  const entries: RecordLine[] = [
    ['id', row.id],
    ...(row.clientId === null ? [] : [['client id', row.clientId] as RecordLine]),
    ...(row.algo === null ? [] : [['algo order', row.algo] as RecordLine]),
    ['market', row.market],
    ['side', sideText(side), (text, paint) => paintSide(text, side, paint)],
    ['type', row.type],
    ['price', grouped(row.price)],
    ['amount', formatAmount(row.amount)],
    ['filled', formatAmount(row.filled)],
    ['remaining', formatAmount(row.remaining)],
    ['filled value', formatAmount(row.filledValue)],
    ['average price', averageText(row)],
    ['fee', feeText(row)],
    ...(row.feeDiscount ? [['fee coin', "the platform's own discount coin"] as RecordLine] : []),
    [timeTitle(), localTime(Date.parse(row.time))],
    [
      'state',
      row.state === 'other' ? `other (${row.status})` : row.state,
      (text, paint) => paintState(text, row, paint),
    ],
  ];
  return record(screen, entries);
}
