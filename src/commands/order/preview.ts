import { Decimal } from '../../domain/decimal.js';
import type { Market } from '../../domain/market.js';
import type { OrderType } from '../../domain/words.js';
import { paintSide, sideText } from '../../terminal/cells.js';
import { grouped } from '../../terminal/numbers.js';
import type { Screen } from '../../terminal/screen.js';
import { type Entry, record } from '../../terminal/table.js';
import { distanceWords } from '../../trading/market-view.js';
import { type OrderFacts, spentCoin } from '../../trading/preview/facts.js';
import { averagePrice } from '../../trading/preview/fills.js';
import { accountWords } from './account-words.js';
import type { SentOrder } from './conclusion.js';
import type { Prepared } from './prepare.js';

const TYPE_WORDS: Readonly<Record<OrderType, string>> = {
  limit: 'limit',
  postOnly: 'PostOnly (refused where it would fill at once)',
  ioc: 'IOC (what does not fill at once is cancelled)',
};

const UNKNOWN = 'not known';

/** What a preview says besides the order. */
export interface Beside {
  /** Host and profile. */
  readonly exchange: string;
  /** Those that hold it back, where nobody is asked. */
  readonly guards: readonly string[];
}

/** How the terms of an order are said of which more is to be told than that they are so. */
interface TermWords {
  readonly amount: string;
  readonly price: string;
  readonly account: string;
}

/** What an order will do and where it goes, as the user is asked about it. */
export function preview(screen: Screen, prepared: Prepared, facts: OrderFacts, beside: Beside): string {
  const { order, market } = prepared;
  const amount = `${grouped(order.amount)} ${market.base}`;
  const price = `${grouped(order.price)} ${market.quote}`;
  return record(screen, orderEntries(prepared, facts, beside, { amount, price, account: accountWords(order) }));
}

export function orderEntries(
  { market, order, warnings }: Prepared,
  facts: OrderFacts,
  { exchange, guards }: Beside,
  words: TermWords,
): Entry[] {
  const { side, type, clientId: id, notional } = order;
  return [
    ['side', sideText(side), (text, paint) => paintSide(text, side, paint)],
    ['market', order.market],
    ['amount', words.amount],
    ['price', words.price],
    ...bookEntries(order, market, facts),
    [side === 'buy' ? 'costs at most' : 'brings at least', `${grouped(notional)} ${market.quote} before the fee`],
    ...moneyEntries(order, market, facts),
    ['type', TYPE_WORDS[type]],
    ['account', words.account],
    ['client id', id],
    ['exchange', exchange],
    ...guards.map((guard): Entry => ['guard', guard, (text, paint) => paint.bad(text)]),
    ...warnings.map((warning): Entry => ['warning', warning, (text, paint) => paint.warn(text)]),
  ];
}

function bookEntries(order: SentOrder, market: Market, facts: OrderFacts): Entry[] {
  return [
    ['from mid', distanceText(facts)],
    bookEntry(market, facts),
    ['fills at once', fillsText(order, market, facts)],
  ];
}

type BestFacts = Pick<OrderFacts, 'bid' | 'ask' | 'reference'>;

export function bookEntry({ quote }: Market, { bid, ask, reference }: BestFacts): Entry {
  return ['bid, ask', reference === null ? UNKNOWN : `${shown(bid)}, ${shown(ask)} ${quote}`];
}

function distanceText({ distance, reference }: OrderFacts): string {
  if (distance === null || reference === null) return UNKNOWN;
  const name = reference.name === 'mid' ? '' : `${reference.name} `;
  return `${distanceWords(distance)} ${name}${shown(reference.price)}`;
}

function fillsText({ side, amount }: SentOrder, { base, quote }: Market, { fills }: OrderFacts): string {
  if (fills === null) return UNKNOWN;
  const average = averagePrice(fills, side);
  if (average === null) return 'nothing';
  const filled = `${fills.atLeast ? 'at least ' : ''}${grouped(fills.amount.trimmed().toString())}`;
  const isAll = fills.amount.compare(Decimal.of(amount)) === 0;
  const part = isAll ? `all ${grouped(amount)} ${base}` : `${filled} of ${grouped(amount)} ${base}`;
  return `${part} at ${grouped(average.toString())} ${quote} on average`;
}

/** The fee and the balance, as far as they are known. */
export function moneyEntries(
  { side, account }: Pick<SentOrder, 'side' | 'account'>,
  market: Market,
  { fee, balance }: Pick<OrderFacts, 'fee' | 'balance'>,
): Entry[] {
  const coin = spentCoin(market, side);
  const untold = account === 'spot' ? UNKNOWN : `${UNKNOWN}: no operation shows margin balances`;
  return [
    ['fee', feeText(fee)],
    ['available', balance === null ? untold : `${shown(balance.before)} ${coin}, then ${shown(balance.after)}`],
  ];
}

function feeText(fee: OrderFacts['fee']): string {
  if (fee === null) return `${UNKNOWN}: no earlier order tells`;
  return `about ${grouped(fee.fee.toString())} ${fee.coin} if it fills, by what earlier orders paid`;
}

function shown(value: Decimal | null): string {
  return value === null ? 'none' : grouped(value.trimmed().toString());
}
