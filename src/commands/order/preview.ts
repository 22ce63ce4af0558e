import type { Market } from '../../client/market-catalog.js';
import type { AccountType, OrderType } from '../../protocol/words.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import type { SentOrder } from './conclusion.js';

const TYPE_WORDS: Readonly<Record<OrderType, string>> = {
  limit: 'limit',
  postOnly: 'PostOnly (refused where it would fill at once)',
  ioc: 'IOC (what does not fill at once is cancelled)',
};

const ACCOUNT_WORDS: Readonly<Record<AccountType, string>> = {
  spot: 'spot',
  isolated: 'isolated margin',
  cross: 'cross margin',
};

/** What an order will do and where it goes, as the user is asked about it. */
export function preview(screen: Screen, { base, quote }: Market, order: SentOrder, exchange: string): string {
  const { side, market, amount, price, type, account, clientId: id, notional } = order;
  const entries: Entry[] = [
    ['side', sideText(side), (text, paint) => paintSide(text, side, paint)],
    ['market', market],
    ['amount', `${grouped(amount)} ${base}`],
    ['price', `${grouped(price)} ${quote}`],
    [side === 'buy' ? 'costs at most' : 'brings at least', `${grouped(notional)} ${quote} before the fee`],
    ['type', TYPE_WORDS[type]],
    ['account', ACCOUNT_WORDS[account] + (order.borrow ? ', borrowing' : '') + (order.repay ? ', repaying' : '')],
    ['client id', id],
    ['exchange', exchange],
  ];
  return record(screen, entries);
}
