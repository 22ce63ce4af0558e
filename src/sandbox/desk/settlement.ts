import { FEES, type Ledger } from '../ledger.js';
import type { BillKind } from './bills.js';
import { feeOf } from './fees.js';
import type { Order } from './order.js';

/** Hears of every movement that changes what a wallet owns; holds are not among them. */
type Posted = (wallet: string, coin: string, change: bigint, kind: BillKind) => void;

/** Exchanges coins against money for `amount` lots at `price` ticks out of what both orders hold, and takes the fees. */
export function settle(ledger: Ledger, buy: Order, sell: Order, price: bigint, amount: bigint, posted: Posted): void {
  const { market } = buy;
  const value = market.value(price, amount);
  const units = market.units(amount);
  pay(ledger, market.quote, value, buy, sell);
  posted(buy.wallet, market.quote, -value, 'buy');
  posted(sell.wallet, market.quote, value, 'sell');
  pay(ledger, market.base, units, sell, buy);
  posted(sell.wallet, market.base, -units, 'sell');
  posted(buy.wallet, market.base, units, 'buy');
  // A buy below its limit held more than it paid.
  ledger.release(buy.wallet, market.quote, market.value(buy.price - price, amount));
  charge(ledger, buy, market.base, units, posted);
  charge(ledger, sell, market.quote, value, posted);
  buy.value += value;
  sell.value += value;
}

function pay(ledger: Ledger, coin: string, units: bigint, from: Order, to: Order): void {
  ledger.move(coin, units, { account: from.wallet, part: 'frozen' }, { account: to.wallet, part: 'available' });
}

function charge(ledger: Ledger, order: Order, coin: string, received: bigint, posted: Posted): void {
  const fee = feeOf(received);
  ledger.move(coin, fee, { account: order.wallet, part: 'available' }, { account: FEES, part: 'available' });
  posted(order.wallet, coin, -fee, 'fee');
  order.fee += fee;
}
