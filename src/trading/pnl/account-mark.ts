import { isDeepStrictEqual } from 'node:util';
import { type AccountInfo, isHeld } from '../../domain/account.js';
import type { Bill } from '../../domain/funds.js';
import type { Exchange } from '../../exchange/exchange.js';
import { type KnownFills, type KnownSides, knownFills } from '../history/known-side.js';
import { areStillOpen } from '../history/order-history.js';
import type { Journal } from '../journal/journal.js';
import { isKind, type RecordedWrite } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { type AccountMark, type KeptHistory, rowOfBill } from './kept-history.js';

/** The archive of the journal has every order that was settled so long ago, in milliseconds. */
const LONGEST_MS = 7 * 86_400_000;

/**
 * Whether an account is as it was, if no write of it is open. Each fill, deposit and withdrawal makes a bill and changes a balance. Only fills of a margin account do
 * neither, so the orders that are open are asked for; whatever else pit may have placed is in a list that any command has read since, or
 * in the journal.
 * @param description of the account as it is
 * @param wanted the markets that were asked about
 * @param readBills reads the bills from a moment on
 */
export async function isUnchanged(
  mark: AccountMark,
  { trading, client }: { readonly trading: TradingContext; readonly client: Exchange },
  asked: {
    readonly description: string | undefined;
    readonly markets: readonly string[];
    readonly readBills: (from: number) => Promise<readonly Bill[]>;
  },
): Promise<boolean> {
  const { journal, host, knownSides } = trading;
  if (mark.description !== asked.description) return false;
  if (!asked.markets.every((market) => Object.hasOwn(mark.markets, market))) return false;
  const age = host.now() - mark.began;
  // the clock may have been set back
  if (age < 0 || age > LONGEST_MS) return false;
  if (hasMarginOrdersSince(journal, mark.began)) return false;
  if (!isDeepStrictEqual(fillsOf(knownSides, Object.keys(mark.markets)), mark.fills)) return false;
  client.learnZone(mark.dailyBills);
  const bills = await asked.readBills(mark.billsFrom);
  const found = new Set(bills.map(billText));
  // several bills may be alike
  if (bills.length > mark.newestBills.filter((bill) => found.has(billText(bill))).length) return false;
  for (const market of marketsWithOrders(mark.markets))
    if (!(await areStillOpen(trading, market, { lists: client }))) return false;
  return true;
}

/** What the exchange says of the account, and the zone in which its dates are read; undefined if the account could not be read. */
export function descriptionOf(
  account: Pick<AccountInfo, 'coins' | 'permissions'> | undefined,
  { zone }: Pick<Exchange, 'zone'>,
): string | undefined {
  if (account === undefined) return undefined;
  const coins = account.coins.filter(isHeld).map(({ coin, available, frozen }) => `${coin} ${available} ${frozen}`);
  return JSON.stringify([account.permissions, coins.sort(), zone.name ?? null]);
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

export function marketsWithOrders(markets: KeptHistory['markets']): readonly string[] {
  return Object.entries(markets).flatMap(([market, hasOrders]) => (hasOrders ? market : []));
}

/** Whether a list of orders may show something of a write that no list has shown before. */
export function hasOpenOrders(journal: Journal): boolean {
  const { entries, damaged, unreadable } = journal.unsettled();
  const settled = journal.unclosedEntries().filter(({ write }) => !isKind(write, 'withdraw'));
  return entries.length + damaged.length + unreadable.length + settled.length > 0;
}

/** Whether an order of a margin account was settled since a time. The list that closed it may not have been kept. */
function hasMarginOrdersSince({ archive }: Journal, time: number): boolean {
  for (const { write } of archive.newestFirst({}, time)) if (isOnMargin(write)) return true;
  return false;
}

function isOnMargin(write: RecordedWrite): boolean {
  return (isKind(write, 'order') || isKind(write, 'batch')) && write.terms.account !== 'spot';
}

/** A bill with this text is the same one, or one that is alike in all that the exchange says. */
export function billText(bill: Bill): string {
  return JSON.stringify(rowOfBill(bill));
}
