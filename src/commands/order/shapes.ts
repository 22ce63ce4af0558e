import * as shape from '../../cli/shapes.js';
import { dryRunShape, PREVIEW } from '../dry-run.js';

const SIDE = ['buy', 'sell'];
const TYPES = ['limit', 'postOnly', 'ioc'];
const ACCOUNTS = ['spot', 'isolated', 'cross'];

/** What became of an order that was sent. */
export const PLACED: shape.Fields = {
  outcome: shape.oneOf(['placed', 'notSent', 'refused', 'unknown'], 'what became of it'),
  id: shape.orNull(shape.id('of the order', 'order.id')),
  clientId: shape.text('your own id, or the one that pit gave it'),
  market: shape.text(''),
  side: shape.oneOf(SIDE, ''),
  type: shape.oneOf(TYPES, ''),
  account: shape.oneOf(ACCOUNTS, ''),
  price: shape.decimal('in the quote coin'),
  amount: shape.decimal('in the base coin'),
  notional: shape.decimal('price times amount, in the quote coin'),
  duplicates: shape.list(shape.id(''), 'further orders that the network made of the one request'),
};

/** An order as the exchange has it. */
export const ORDER: shape.Fields = {
  id: shape.id('of the order', 'getOrder.id getOrders.id'),
  clientId: shape.orNull(shape.text('your own id, where it was asked for by that')),
  market: shape.text('', 'getOrder.currency getOrders.currency'),
  side: shape.oneOf(SIDE, '', 'getOrder.type getOrders.type'),
  type: shape.oneOf([...TYPES, 'other'], '', 'getOrder.type getOrders.type'),
  account: shape.orNull(shape.oneOf(ACCOUNTS, 'the interface does not tell it')),
  price: shape.decimal('in the quote coin', 'getOrder.price getOrders.price'),
  amount: shape.decimal('in the base coin', 'getOrder.total_amount getOrders.total_amount'),
  filled: shape.decimal('in the base coin', 'getOrder.trade_amount getOrders.trade_amount'),
  remaining: shape.decimal('amount less what has filled'),
  filledValue: shape.decimal('in the quote coin', 'getOrder.trade_money getOrders.trade_money'),
  averagePrice: shape.orNull(shape.decimal('null where nothing has filled')),
  fee: shape.orNull(shape.decimal('so far', 'getOrder.fees getOrders.fees')),
  feeCoin: shape.orNull(shape.text('observed, not documented')),
  feeDiscount: shape.yesNo("paid with the platform's own coin", 'getOrder.useXxFee getOrders.useXxFee'),
  time: shape.time('when it was placed', 'getOrder.trade_date getOrders.trade_date'),
  state: shape.oneOf(['open', 'filled', 'cancelled', 'other'], '', 'getOrder.status getOrders.status'),
  status: shape.count("the exchange's own code", 'getOrder.status getOrders.status'),
};

const NULLABLE = (description: string) => shape.orNull(shape.decimal(description));

/** What any preview of orders knows of the account and the book. */
export const SURROUNDINGS: shape.Fields = {
  feeCoin: shape.orNull(shape.text('')),
  spentCoin: shape.text('what it is paid with'),
  balanceBefore: NULLABLE('available, in the coin that is spent'),
  balanceAfter: NULLABLE('available then'),
  bid: NULLABLE('the best one'),
  ask: NULLABLE('the best one'),
  mid: NULLABLE('the middle of the book, or what takes its place'),
  guards: shape.list(
    shape.record({
      guard: shape.text('its name'),
      message: shape.text(''),
      overridden: shape.yesNo(''),
    }),
    'those that hold it back',
  ),
};

/** An order before it is sent: what it would do. */
export const DRY_ORDER = dryRunShape({
  ...PREVIEW,
  ...SURROUNDINGS,
  distance: NULLABLE('percent above mid, negative below it'),
  fillsAtOnce: NULLABLE('in the base coin'),
  fillsAtLeast: shape.yesNo('the book shows no more: at least this'),
  averagePrice: NULLABLE('of what fills at once'),
});
