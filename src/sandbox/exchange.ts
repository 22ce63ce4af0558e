import type { AccountType } from '../domain/words.js';
import type { CandleType } from './candles.js';
import type { Account, Secrets } from './desk/accounts.js';
import type { OrderStatus } from './desk/order.js';
import type { OrderList, OrderRef } from './desk/order-file.js';
import type { Execution, Side } from './engine/order.js';
import type { ReplayGenesis } from './exchange/beginning.js';
import { ExchangeState } from './exchange/house.js';
import type { ExchangeAdmin } from './exchange/living-administration.js';
import { ExchangeService } from './exchange/living-exchange.js';
import type { NewAddress } from './funds/address-book.js';
import type { Funds } from './funds/funds.js';
import type { DepositRequest } from './funds/treasury.js';
import type { CoinRules } from './markets/coins.js';
import type { MarketRules } from './markets/market.js';

export type { Account } from './desk/accounts.js';
export type { OrderList } from './desk/order-file.js';
export { OtherFormat, type ReplayGenesis } from './exchange/beginning.js';
export { AlreadyOpen } from './store-claim.js';

interface ExchangeOptions {
  /** Where the state is kept; made when it is missing. One exchange at a time can have it open. */
  readonly directory: string;
  /** Used when the directory is empty; afterwards the stored one wins. */
  readonly seed: number;
  /** The machine's clock, which the exchange's follows until it is driven: ms since the Unix epoch. */
  readonly now: () => number;
  /** The first account, used when the directory is empty; afterwards the stored one wins. */
  readonly firstAccount: Secrets;
  /** Where it begins, when the directory is empty: in the present when this is left out. */
  readonly replayGenesis?: ReplayGenesis | undefined;
}

/** The last 24 hours of a market. `change` is in percent with two decimals; with an empty side bid or ask is the last price. */
export interface Ticker {
  readonly time: number;
  readonly high: string;
  readonly low: string;
  readonly bid: string;
  readonly ask: string;
  readonly last: string;
  readonly open: string;
  readonly change: string;
  readonly volume: string;
}

/** Both sides best first. */
export interface Depth {
  readonly time: number;
  readonly bids: readonly (readonly [price: string, amount: string])[];
  readonly asks: readonly (readonly [price: string, amount: string])[];
}

export interface PublicTrade {
  readonly id: string;
  readonly time: number;
  /** The taker's. */
  readonly side: Side;
  readonly price: string;
  readonly amount: string;
}

export interface ShownCandle {
  readonly time: number;
  readonly open: string;
  readonly high: string;
  readonly low: string;
  readonly close: string;
  readonly volume: string;
}

export interface CandleQuery {
  /** ms since the Unix epoch, inclusive. */
  readonly since?: number | undefined;
  readonly size: number;
  /** Which rows where there are more than `size`: the latest when it is left out. */
  readonly which?: 'first' | 'latest' | undefined;
}

export interface OrderRequest {
  readonly market: string;
  readonly side: Side;
  readonly type: Execution;
  readonly price: string;
  readonly amount: string;
  readonly clientId?: string | undefined;
  /** The wallet that pays and receives: spot unless told. */
  readonly account?: AccountType | undefined;
  /** Margin: borrow what is missing, within the leverage. */
  readonly borrow?: boolean | undefined;
  /** Margin: repay with what comes in. */
  readonly repay?: boolean | undefined;
}

/** What a margin wallet has and owes of a coin, as decimal texts. */
export interface MarginBalance {
  readonly kind: 'isolated' | 'cross';
  /** Null for the cross wallet. */
  readonly market: string | null;
  readonly coin: string;
  readonly available: string;
  readonly frozen: string;
  readonly borrowed: string;
}

/** Coins that move between the spot wallet and a margin wallet of the same account. */
export interface MarginMove {
  readonly kind: 'isolated' | 'cross';
  /** Which isolated wallet; without a meaning for the cross wallet. */
  readonly market?: string | undefined;
  readonly coin: string;
  /** Decimal text. */
  readonly amount: string;
}

export interface OrderRecord {
  readonly id: string;
  readonly clientId: string | null;
  readonly account: AccountType;
  readonly market: string;
  readonly side: Side;
  readonly type: Execution;
  readonly price: string;
  readonly amount: string;
  readonly filled: string;
  /** In the quote coin. */
  readonly filledValue: string;
  /** In the coin the order receives: the base coin of a buy, the quote coin of a sell. */
  readonly fee: string;
  readonly time: number;
  readonly status: OrderStatus;
}

export interface ExchangeStatus {
  readonly time: number;
  readonly markets: number;
  readonly accounts: number;
  /** Open orders of customers. */
  readonly orders: number;
  readonly trades: number;
}

/**
 * An exchange that lives: markets with a history, traders, customers. Prices, amounts and ids are decimal texts, times
 * ms since the Unix epoch. A method that is given an unknown market throws {@link Refusal}.
 */
export interface Exchange {
  readonly firstAccount: Secrets;
  readonly markets: ReadonlyMap<string, MarketRules>;
  readonly coins: ReadonlyMap<string, CoinRules>;
  /** Coming and going coins, as the interface serves them. */
  readonly funds: Funds;
  /** What is not part of the interface. */
  readonly admin: ExchangeAdmin;
  /** Lets everything happen that is due by now. */
  advance(): void;
  ticker(market: string): Ticker;
  /** `merge` is a price step: bids are rounded down to it and asks up. */
  depth(market: string, options: { size: number; merge?: string | undefined }): Depth;
  /** At most 50, oldest first: those after an id, or the latest. */
  trades(market: string, afterId?: string): PublicTrade[];
  /** Without gaps, oldest first: the latest `size` of those that do not begin before `since`, or the first. */
  candles(market: string, type: CandleType, query: CandleQuery): ShownCandle[];
  account(accessKey: string): Account | undefined;
  /** Every coin, also those of which the account has none. */
  balances(account: Account): { coin: string; available: string; frozen: string }[];
  /** The order's id. Throws {@link Refusal}, with nothing changed. */
  place(account: Account, request: OrderRequest): string;
  /** Throws {@link Refusal} when there is no such order or it is already final. */
  cancel(account: Account, market: string, ref: OrderRef): OrderRecord;
  order(account: Account, market: string, ref: OrderRef): OrderRecord;
  /** Newest first; pages count from 1. Without a list: all. */
  orders(account: Account, market: string, query: { list?: OrderList; page: number; pageSize: number }): OrderRecord[];
  /** Sees to it that all orders of the account in the market are cancelled a minute from now; gives that time. */
  cancelAllAfter(account: Account, market: string): number;
  /** Announces coins from outside, which are credited after their confirmations. The record's id. Throws {@link Refusal}. */
  deposit(account: Account, request: DepositRequest): string;
  /** Allows withdrawals to an address. Throws {@link Refusal}. */
  verifyAddress(account: Account, address: NewAddress): void;
  /** What a user does on the exchange's website before getUserAddress gives an address. */
  obtainAddress(account: Account, coin: string): void;
  /** Ends a withdrawal before its success, and gives the coins back; a confirmed one can only fail. Throws {@link Refusal}. */
  endWithdrawal(account: Account, coin: string, id: string, end: 'failed' | 'cancelled'): void;
  /** The margin wallets: a row for each wallet and coin of which it has or owes something. */
  marginBalances(account: Account): MarginBalance[];
  /** Throws {@link Refusal} when the spot wallet has less, or for a market, coin or amount that cannot be. */
  moveToMargin(account: Account, move: MarginMove): void;
  /** Throws {@link Refusal} also when what is left would be beyond the wallet's leverage. */
  moveFromMargin(account: Account, move: MarginMove): void;
  /** Whether the disk did not take what happened: that is in memory only, and will not outlive this process. */
  readonly isFailing: boolean;
  /** Resolves when everything that happened before the call survives a kill and the loss of power. Rejects with NotWritten. */
  durable(): Promise<void>;
  status(): ExchangeStatus;
  close(): Promise<void>;
}

/** Opens the exchange of a directory, or founds one there. Rejects with AlreadyOpen when it is open already, with OtherFormat when another version wrote it. */
export async function openExchange(options: ExchangeOptions): Promise<Exchange> {
  const { directory, seed, now, firstAccount, replayGenesis } = options;
  const time = replayGenesis?.time ?? now();
  const state = ExchangeState.open({ directory, seed, time, secrets: firstAccount, replayGenesis });
  const exchange = new ExchangeService(state, state.clock(now));
  try {
    exchange.advance();
    await exchange.durable();
    return exchange;
  } catch (error) {
    await state.store.abandon();
    throw error;
  }
}
