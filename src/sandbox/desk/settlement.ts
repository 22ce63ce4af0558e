import { FEES, type Ledger } from '../ledger.js';
import { feeOf } from './fees.js';
import type { Order } from './order.js';

/** Why a balance changed. */
export type BillKind = 'buy' | 'sell' | 'fee';

/** Hears of every movement that changes what an account owns; holds are not among them. */
export type Posted = (account: string, coin: string, change: bigint, kind: BillKind) => void;

/** Exchanges coins against money for `amount` lots at `price` ticks out of what both orders hold, and takes the fees. */
export function settle(ledger: Ledger, buy: Order, sell: Order, price: bigint, amount: bigint, posted: Posted): void {
  const { market } = buy;
  const value = market.value(price, amount);
  const units = market.units(amount);
  pay(ledger, market.quote, value, buy, sell);
  posted(buy.account, market.quote, -value, 'buy');
  posted(sell.account, market.quote, value, 'sell');
  pay(ledger, market.base, units, sell, buy);
  posted(sell.account, market.base, -units, 'sell');
  posted(buy.account, market.base, units, 'buy');
  // A buy below its limit held more than it paid.
  ledger.release(buy.account, market.quote, market.value(buy.price - price, amount));
  charge(ledger, buy, market.base, units, posted);
  charge(ledger, sell, market.quote, value, posted);
  buy.value += value;
  sell.value += value;
}

function pay(ledger: Ledger, coin: string, units: bigint, from: Order, to: Order): void {
  ledger.move(coin, units, { account: from.account, part: 'frozen' }, { account: to.account, part: 'available' });
}

function charge(ledger: Ledger, order: Order, coin: string, received: bigint, posted: Posted): void {
  const fee = feeOf(received);
  ledger.move(coin, fee, { account: order.account, part: 'available' }, { account: FEES, part: 'available' });
  posted(order.account, coin, -fee, 'fee');
  order.fee += fee;
}
