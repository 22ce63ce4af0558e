import { isDeepStrictEqual } from 'node:util';
import { type AccountInfo, isHeld } from '../../domain/account.js';
import type { Bill } from '../../domain/funds.js';
import type { AccountType } from '../../domain/order.js';
import type { Exchange } from '../../exchange/exchange.js';
import { type KnownFills, type KnownSides, knownFills } from '../history/known-side.js';
import { areStillOpen } from '../history/order-history.js';
import type { Journal } from '../journal/journal.js';
import { isKind } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { groupBy } from './group-by.js';
import { type AccountDescription, type AccountMark, rowOfBill } from './kept-history.js';

/** The archive of the journal has every order that was settled so long ago, in milliseconds. */
const LONGEST_MS = 7 * 86_400_000;

const MARGIN_ACCOUNTS = ['isolated', 'cross'] as const satisfies readonly AccountType[];

/** What is new of an account since its mark. */
export interface AccountNews {
  /** The coins with a new bill or another balance. */
  readonly coins: ReadonlySet<string>;
  /** Whether an order may have been placed or have filled. */
  readonly mayHaveOrders: boolean;
}

/**
 * What is new of an account, if no write of it is open; undefined if that may be anything. Each deposit and withdrawal makes a bill and
 * changes a balance, and so does each fill. Only fills of a margin account do neither, so the orders that are open are asked for; whatever
 * else pit may have placed is in a list that any command has read since, or in the journal.
 */
export async function newsSince(
  mark: AccountMark,
  { trading, client }: { readonly trading: TradingContext; readonly client: Exchange },
  now: {
    readonly description: AccountDescription | undefined;
    /** The markets that were asked about. */
    readonly markets: readonly string[];
    /** Reads the bills from a moment on. */
    readonly readBills: (from: number) => Promise<readonly Bill[]>;
  },
): Promise<AccountNews | undefined> {
  const { journal, host } = trading;
  if (now.description === undefined || mark.description.terms !== now.description.terms) return undefined;
  if (!now.markets.every((market) => Object.hasOwn(mark.markets, market))) return undefined;
  const age = host.now() - mark.began;
  // the clock may have been set back
  if (age < 0 || age > LONGEST_MS || hasMarginOrdersSince(journal, mark.began)) return undefined;
  client.learnZone(mark.dailyBills);
  const bills = await now.readBills(mark.billsFrom);
  const coins = new Set([...coinsOfNew(bills, mark.newestBills), ...changedCoins(mark.description, now.description)]);
  return { coins, mayHaveOrders: coins.size > 0 || !(await areOrdersAsBefore(mark, trading, client)) };
}

async function areOrdersAsBefore(mark: AccountMark, trading: TradingContext, lists: Exchange): Promise<boolean> {
  const markets = Object.keys(mark.markets);
  if (!isDeepStrictEqual(fillsOf(trading.knownSides, markets), mark.fills)) return false;
  // also of one without orders: a command may have listed one since
  for (const market of markets) if (!(await areStillOpen(trading, market, { lists }))) return false;
  return true;
}

function changedCoins({ amounts: before }: AccountDescription, { amounts: after }: AccountDescription): string[] {
  return [...Object.keys(before), ...Object.keys(after)].filter((coin) => before[coin] !== after[coin]);
}

/** The coins that have more of these bills than were known. Several bills may be alike. */
function coinsOfNew(bills: readonly Bill[], known: readonly Bill[]): string[] {
  const left = groupBy(known, billText);
  return bills.flatMap((bill) => (left.get(billText(bill))?.pop() === undefined ? bill.coin : []));
}

/** What the exchange says of an account, and how its dates are read; undefined if the account could not be read. */
export function descriptionOf(
  account: Pick<AccountInfo, 'coins' | 'permissions'> | undefined,
  { zone }: Pick<Exchange, 'zone'>,
): AccountDescription | undefined {
  if (account === undefined) return undefined;
  const held = account.coins.filter(isHeld);
  return {
    terms: JSON.stringify([account.permissions, zone.name ?? null]),
    amounts: Object.fromEntries(held.map(({ coin, available, frozen }) => [coin, `${available} ${frozen}`])),
  };
}

/** By market: what its orders have filled, as far as they were read; undefined if those of one are not known. */
export function fillsOf(
  sides: KnownSides | undefined,
  markets: readonly string[],
): Readonly<Record<string, KnownFills>> | undefined {
  const fills = markets.flatMap((market) => {
    const known = sides && knownFills(sides, market);
    return known === undefined ? [] : [[market, known] as const];
  });
  return fills.length === markets.length ? Object.fromEntries(fills) : undefined;
}

/** Whether a list of orders may show something of a write that no list has shown before. */
export function hasOpenOrders(journal: Journal): boolean {
  const { entries, damaged, unreadable } = journal.unsettled();
  const settled = journal.unclosedEntries().filter(({ write }) => !isKind(write, 'withdraw'));
  return entries.length + damaged.length + unreadable.length + settled.length > 0;
}

/** Whether an order of a margin account was settled since a time. The list that closed it may not have been kept. */
function hasMarginOrdersSince({ archive }: Journal, time: number): boolean {
  return MARGIN_ACCOUNTS.some((account) => {
    for (const { write } of archive.newestFirst({ account }, time))
      if ((isKind(write, 'order') || isKind(write, 'batch')) && write.terms.account === account) return true;
    return false;
  });
}

/** A bill with this text is the same one, or one that is alike in all that the exchange says. */
export function billText(bill: Bill): string {
  return JSON.stringify(rowOfBill(bill));
}
