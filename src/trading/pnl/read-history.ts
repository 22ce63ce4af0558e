import { randomUUID } from 'node:crypto';
import { type AccountInfo, isHeld } from '../../domain/account.js';
import { COIN } from '../../domain/coin.js';
import { Decimal } from '../../domain/decimal.js';
import type { Bill, Deposit, Withdrawal } from '../../domain/funds.js';
import { type Order, SIDES } from '../../domain/order.js';
import { quotedName } from '../../domain/quotation.js';
import { Failure } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import { keptOrders, orderHistory } from '../history/order-history.js';
import { mayBeOpen } from '../history/side-reading.js';
import type { MarketSide } from '../journal/write.js';
import { datedRead } from '../settling/dated-read.js';
import { orderList } from '../settling/order-list.js';
import { reconcileLists } from '../settling/reconcile-orders.js';
import type { TradingContext } from '../trading-context.js';
import { type AccountNews, billText, descriptionOf, fillsOf, hasOpenOrders, newsSince } from './account-mark.js';
import { type AccountMark, EMPTY, type KeptHistory } from './kept-history.js';
import { matchedOfRows, rowsOfMatched } from './matched-rows.js';
import { type MatchedHistory, matchBills } from './matching/match-bills.js';
import { reconcile } from './reconciliation.js';

export interface HistoryOptions {
  readonly trading: TradingContext;
  /** The exchange, with time for a long read. */
  readonly client: Exchange;
  /** The markets that were asked about: their orders are read in any case. */
  readonly markets?: readonly string[];
  /** The account, read before anything else; undefined if it could not be read. */
  readonly account?: Pick<AccountInfo, 'coins' | 'permissions'> | undefined;
  /** Reads every list to its end, whatever is kept. */
  readonly isWhole?: boolean | undefined;
  /** Called after each page, with what has been read since the start. */
  readonly onProgress: (read: { readonly orders: number; readonly bills: number }) => void;
}

/** How an account was read. */
export interface AccountReading {
  /** Names what was found, from one command to the next; undefined if that may lack something. */
  readonly id: string | undefined;
  /** Before any order was read, by the exchange's clock: the orders of later bills may be older than their last fill. */
  readonly readAt: number;
  /** The coins whose deposits and withdrawals the exchange refused to list. */
  readonly refusedCoins: readonly string[];
  /** The coins of bills that cannot be asked for: nothing here has them. */
  readonly leftOut: readonly string[];
  /** The markets without bills whose orders the exchange does not list. */
  readonly unlisted: readonly string[];
}

export interface ReadHistory extends AccountReading {
  readonly matched: MatchedHistory;
  /** As the exchange lists them. */
  readonly transfers: { readonly deposits: readonly Deposit[]; readonly withdrawals: readonly Withdrawal[] };
}

/** An account in which nothing is new since its history was kept. */
export interface UnchangedAccount extends AccountReading {
  readonly id: string;
}

/** A list may show an entry late: what is younger than this is read again. */
const OVERLAP_MS = 60_000;

/** After so long, every bill is listed, and what is still unexplained stays so. */
const LATEST_MS = 3_600_000;

/** The exchange's clock is known from dates in whole seconds. */
const CLOCK_ERROR_MS = 2_000;

/** So many new bills are kept at once: a long first read that is interrupted goes on from there. */
const ENOUGH_TO_KEEP = 1_000;

const DAY_MS = 86_400_000;

/** Reads what an account has done. What was read before is kept, so only what is new is asked for. */
export class AccountReader {
  readonly #options: HistoryOptions;
  /** When it was made, by this machine's clock in milliseconds since the Unix epoch. */
  readonly #began: number;
  /** Whether a list of orders might have shown something of a write when the reading began: one that is read later may, too. */
  #hadOpenOrders = true;
  #checked: Promise<CheckedMark | undefined> | undefined;
  #kept = EMPTY;
  readonly #read = { orders: 0, bills: 0 };
  /** How many bills are new since the history was last written. */
  #unwritten = 0;
  /** What the orders that were read have filled, by their ids. */
  #filled: ReadonlyMap<string, string> = new Map();
  /** Whether every list is read to its end, whatever is kept. */
  #readsAll: boolean;

  constructor(options: HistoryOptions) {
    this.#options = options;
    this.#began = options.trading.host.now();
    this.#readsAll = options.isWhole ?? false;
  }

  /** Whether nothing is new, without the history itself; undefined if anything may be. Throws Failure if that cannot be read. */
  async unchanged(): Promise<UnchangedAccount | undefined> {
    this.#checked ??= this.#checkMark();
    const checked = await this.#checked;
    if (checked === undefined || checked.news.mayHaveOrders) return undefined;
    const { mark } = checked;
    const readAt = this.#options.client.now() - CLOCK_ERROR_MS;
    return { id: mark.history, readAt, refusedCoins: mark.refusedCoins, leftOut: mark.leftOut, unlisted: [] };
  }

  /**
   * The whole history. Reads all that the exchange lists if what was kept does not add up: it may have left out what it lists now. What it
   * lists no more stays as it was read: another account has another key, and a history of its own. Throws Failure if anything but
   * deposits and withdrawals cannot be read: a part of a history gives wrong costs.
   */
  async history(): Promise<ReadHistory> {
    const unchanged = await this.unchanged();
    this.#kept = this.#options.trading.keptHistory?.read() ?? EMPTY;
    const { id, matched } = this.#kept;
    if (unchanged !== undefined && matched !== null && id === unchanged.id)
      return { ...unchanged, matched: matchedOfRows(matched, this.#exactBills), transfers: this.#keptTransfers };
    const checked = await this.#checked;
    return this.#readOn(checked?.mark.history === id ? checked : undefined);
  }

  /** @param checked which coins have news; undefined if all may have */
  async #readOn(checked: CheckedMark | undefined): Promise<ReadHistory> {
    const before = this.#kept;
    const hasKept = before.bills.length > 0;
    let history = await this.#readNew(checked);
    let unexplained = unexplainedText(history);
    if (hasKept && !this.#readsAll && unexplained !== '' && (unexplained !== before.unexplained || this.#isRereadDue)) {
      this.#readsAll = true;
      history = await this.#readNew();
      unexplained = unexplainedText(history);
    }
    const rereadAt = this.#nextReread(unexplained);
    const mark = unexplained === '' ? this.#markOf(history) : undefined;
    const matched = mark === undefined ? null : rowsOfMatched(history.matched);
    this.#kept = { ...this.#kept, unexplained, rereadAt, matched };
    if (!isSame(before, this.#kept)) await this.#write();
    if (mark === undefined) return history;
    const { id } = this.#kept;
    if (!this.#hadOpenOrders) await this.#options.trading.keptHistory?.writeMark({ ...mark, history: id });
    return { ...history, id };
  }

  get #isRereadDue(): boolean {
    const { rereadAt } = this.#kept;
    return rereadAt !== null && this.#options.client.now() >= rereadAt;
  }

  #nextReread(unexplained: string): number | null {
    if (unexplained === '') return null;
    if (unexplained !== this.#kept.unexplained) return this.#options.client.now() + LATEST_MS;
    return this.#readsAll && this.#isRereadDue ? null : this.#kept.rereadAt;
  }

  async #write(): Promise<void> {
    this.#kept = { ...this.#kept, id: randomUUID() };
    await this.#options.trading.keptHistory?.write(this.#kept);
    this.#unwritten = 0;
  }

  /** Writes the history if much of it is new: to write a long one takes longer than to read a page. */
  async #writeIfMuchIsNew(added: number): Promise<void> {
    this.#unwritten += added;
    if (this.#unwritten >= ENOUGH_TO_KEEP) await this.#write();
  }

  /** What shows later that nothing is new; undefined if that cannot be shown. Its bills have to add up. */
  #markOf({ matched, refusedCoins, leftOut, unlisted, readAt }: ReadHistory): Omit<AccountMark, 'history'> | undefined {
    const { account, client, trading } = this.#options;
    const { bills, billsReadAt, markets } = this.#kept;
    const description = descriptionOf(account, client);
    const newest = matched.bills.at(-1);
    // the orders of the newest bills may not be listed yet
    const isEarly = matched.unmatched.some(({ time }) => time > readAt);
    if (description === undefined || newest === undefined || unlisted.length > 0 || isEarly) return undefined;
    const { deposits, withdrawals } = this.#keptTransfers;
    if (![...deposits, ...withdrawals].every(({ state }) => isFinal(state))) return undefined;
    const fills = fillsOf(trading.knownSides, Object.keys(markets));
    const areMatched = Object.values(fills ?? {}).every(({ filled }) =>
      Object.entries(filled).every(([id, amount]) => this.#filled.get(id) === amount),
    );
    // another command may have read other fills since
    if (fills === undefined || !areMatched) return undefined;
    const billsFrom = Math.min(bills.at(-1)?.time ?? billsReadAt, billsReadAt);
    return {
      ...{ began: this.#began, description, markets, fills, refusedCoins, leftOut, billsFrom },
      newestBills: bills.filter(({ time }) => time >= billsFrom),
      dailyBills: [...onePerDay(bills)].map(({ time, timeRaw }) => ({ time, timeRaw })),
    };
  }

  async #checkMark(): Promise<CheckedMark | undefined> {
    const { trading, client, account, markets = [] } = this.#options;
    this.#hadOpenOrders = hasOpenOrders(trading.journal);
    const mark = this.#readsAll || this.#hadOpenOrders ? undefined : trading.keptHistory?.readMark();
    if (mark === undefined) return undefined;
    let bills: ReadBills | undefined;
    const readBills = async (from: number) => {
      bills = await this.#billsFrom(from);
      return bills.value;
    };
    const news = await newsSince(
      mark,
      { trading, client },
      { description: descriptionOf(account, client), markets, readBills },
    );
    return news && bills && { mark, news, bills };
  }

  async #readNew(checked?: CheckedMark): Promise<ReadHistory> {
    const { client } = this.#options;
    client.learnZone(onePerDay(this.#kept.bills));
    await this.#readBills(checked?.bills);
    const readAt = client.now() - CLOCK_ERROR_MS;
    const unlisted: string[] = [];
    const orders = new Map<string, readonly Order[]>();
    for (const { market, hasBills } of await this.#tradedMarkets()) {
      try {
        orders.set(market, await this.#readOrders(market));
      } catch (error) {
        // the document shows no answer of this list: without bills it is an extra
        if (hasBills || !(error instanceof Failure) || error.kind !== 'internal') throw error;
        unlisted.push(market);
      }
    }
    this.#rememberMarkets(orders);
    for (const market of this.#marketsWithOrders) if (!orders.has(market)) orders.set(market, this.#keptOrders(market));
    // after the orders, so that every fill that they show has its bills
    await this.#readBills();
    const { transfers, refusedCoins } = await this.#readTransfers(checked);
    const filled = [...orders.values()].flat().filter(hasFilled);
    this.#filled = new Map(filled.map((order) => [order.id, order.filled]));
    const matched = matchBills({ orders: filled, bills: this.#exactBills, ...transfers });
    return { id: undefined, matched, readAt, transfers, refusedCoins, leftOut: this.#leftOut, unlisted };
  }

  get #exactBills(): readonly Bill[] {
    const leftOut = new Set(this.#leftOut);
    return leftOut.size === 0 ? this.#kept.bills : this.#kept.bills.filter(({ coin }) => !leftOut.has(coin));
  }

  get #leftOut(): readonly string[] {
    return [...this.#coins].filter((coin) => !COIN.isExact(coin)).sort();
  }

  #rememberMarkets(read: ReadonlyMap<string, readonly Order[]>): void {
    const found = [...read].map(([market, orders]) => {
      const isTraded = orders.some((order) => hasFilled(order) || mayBeOpen(order));
      return [market, isTraded || this.#kept.markets[market] === true] as const;
    });
    this.#kept = { ...this.#kept, markets: { ...this.#kept.markets, ...Object.fromEntries(found) } };
  }

  get #marketsWithOrders(): readonly string[] {
    return Object.entries(this.#kept.markets).flatMap(([market, hasOrders]) => (hasOrders ? market : []));
  }

  /** Those of a market that cannot be asked for any more, as far as they were read before. */
  #keptOrders(market: string): readonly Order[] {
    const { knownSides } = this.#options.trading;
    return (knownSides && keptOrders(knownSides, market)?.orders) ?? [];
  }

  /** Those of all bills. */
  get #coins(): ReadonlySet<string> {
    return new Set(this.#kept.bills.map(({ coin }) => coin));
  }

  /** Adds new bills. One that was read before and is no longer listed stays. @param read those that may be new */
  async #readBills(read?: ReadBills): Promise<void> {
    const { bills, billsReadAt } = this.#kept;
    const newest = bills.at(-1)?.time;
    const from = newest === undefined || this.#readsAll ? undefined : Math.min(newest, billsReadAt);
    const { value: recent, began } = read ?? (await this.#billsFrom(from));
    const found = new Set(recent.map(billText));
    const oldest = recent[0]?.time ?? Number.POSITIVE_INFINITY;
    const others = bills.filter((bill) => bill.time < oldest || !found.has(billText(bill)));
    const isNew = others.length + recent.length > bills.length;
    const all = isNew ? [...others, ...recent].sort((one, other) => one.time - other.time) : bills;
    // the places of the bills are others now
    const matched = isNew ? null : this.#kept.matched;
    this.#kept = { ...this.#kept, bills: all, billsReadAt: began - OVERLAP_MS, matched };
    await this.#writeIfMuchIsNew(all.length - bills.length);
  }

  /** Oldest first. */
  #billsFrom(from: number | undefined): Promise<ReadBills> {
    return datedRead(this.#options.trading, () => this.#allBillsFrom(from));
  }

  async #allBillsFrom(from: number | undefined): Promise<readonly Bill[]> {
    const { client, onProgress } = this.#options;
    const bills: Bill[] = [];
    for await (const page of client.bills(from === undefined ? {} : { from: () => from })) {
      bills.push(...page);
      this.#read.bills += page.length;
      onProgress(this.#read);
    }
    // the exchange may list those of a minute in any order
    return bills.reverse().sort((one, other) => one.time - other.time);
  }

  /**
   * Those that were asked about, those with orders before, and those whose coins both have bills or are in the account. If the account
   * had coins before its first bill, older bills are not listed: then every market is asked once.
   */
  async #tradedMarkets(): Promise<readonly { readonly market: string; readonly hasBills: boolean }[]> {
    const { client, markets = [], account } = this.#options;
    const { bills, markets: read } = this.#kept;
    const wanted = new Set([...markets, ...this.#marketsWithOrders]);
    const billed = this.#coins;
    const held = new Set(account?.coins.filter(isHeld).map(({ coin }) => coin));
    const isOurs = (coin: string) => billed.has(coin) || held.has(coin);
    const isCut = hadCoinsBefore(bills);
    const all = await client.markets.all();
    return all
      .filter(
        ({ market, base, quote }) =>
          wanted.has(market) || (isOurs(base) && isOurs(quote)) || (isCut && read[market] === undefined),
      )
      .map(({ market, base, quote }) => ({ market, hasBills: billed.has(base) && billed.has(quote) }));
  }

  /** Reads the orders of a market. The lists also settle the writes that they show. */
  async #readOrders(market: string): Promise<readonly Order[]> {
    const { trading } = this.#options;
    const { value: sides, began } = await datedRead(trading, () =>
      Promise.all(SIDES.map((side) => this.#ordersOf({ market, side }))),
    );
    const lists = sides.map(({ side, listed }) => orderList({ market, side }, listed, began));
    await reconcileLists(trading, market, lists);
    return sides.flatMap(({ orders }) => orders);
  }

  async #ordersOf({ market, side }: MarketSide) {
    const { trading, client, onProgress } = this.#options;
    const orders: Order[] = [];
    const listed: Order[] = [];
    let more = false;
    for await (const page of orderHistory(trading, { market, side }, { lists: client, isWhole: this.#readsAll })) {
      orders.push(...page.fresh);
      if (page.isListed) {
        listed.push(...page.fresh);
        more = page.hasOlder;
      }
      this.#read.orders += page.fresh.length;
      onProgress(this.#read);
    }
    return { side, orders, listed: { orders: listed, more, failure: null } };
  }

  /**
   * Reads the deposits and withdrawals of all coins that have bills and in which something is new, back to those that are kept and have
   * ended.
   */
  async #readTransfers(checked: CheckedMark | undefined) {
    const { client } = this.#options;
    const zone = client.zone.name ?? null;
    // the zone decides when a deposit was
    const readsDeposits = this.#readsAll || zone !== this.#kept.zone;
    this.#kept = { ...this.#kept, zone };
    const isQuiet = (coin: string) => checked?.news.coins.has(coin) === false;
    const coins = [...this.#coins].filter((coin) => COIN.isExact(coin) && !isQuiet(coin));
    const { deposits, withdrawals } = this.#kept;
    const read = await Promise.all(
      coins.map(async (coin) => {
        const own = await unlessRefused(async () => ({
          deposits: await readOn(client.deposits(coin), deposits[coin] ?? [], DEPOSITS, readsDeposits),
          withdrawals: await readOn(client.withdrawals({ coin }), withdrawals[coin] ?? [], WITHDRAWALS, this.#readsAll),
        }));
        return { coin, own };
      }),
    );
    const listed = read.flatMap(({ coin, own }) => (own === undefined ? [] : [[coin, own] as const]));
    this.#kept = {
      ...this.#kept,
      deposits: { ...deposits, ...Object.fromEntries(listed.map(([coin, own]) => [coin, own.deposits])) },
      withdrawals: { ...withdrawals, ...Object.fromEntries(listed.map(([coin, own]) => [coin, own.withdrawals])) },
    };
    const refusedBefore = checked?.mark.refusedCoins.filter(isQuiet) ?? [];
    const refusedCoins = [...refusedBefore, ...read.flatMap(({ coin, own }) => (own === undefined ? coin : []))];
    return { transfers: this.#keptTransfers, refusedCoins };
  }

  get #keptTransfers(): ReadHistory['transfers'] {
    const { deposits, withdrawals } = this.#kept;
    return { deposits: Object.values(deposits).flat(), withdrawals: Object.values(withdrawals).flat() };
  }
}

/** Bills that were read at once, and when that began, by the exchange's clock in milliseconds since the Unix epoch. */
interface ReadBills {
  /** Oldest first. */
  readonly value: readonly Bill[];
  readonly began: number;
}

/** A mark, with what is new since. */
interface CheckedMark {
  readonly mark: AccountMark;
  readonly news: AccountNews;
  /** Those of the time of the mark and later. */
  readonly bills: ReadBills;
}

/** The first bill of each day, and the last of all. */
function* onePerDay(bills: readonly Bill[]): Generator<Bill> {
  let next = Number.NEGATIVE_INFINITY;
  for (const bill of bills)
    if (bill.time >= next) {
      next = bill.time + DAY_MS;
      yield bill;
    }
  const last = bills.at(-1);
  if (last !== undefined) yield last;
}

/** Whether nothing was added but later moments. To write a long history takes as long as to read it. */
function isSame(one: KeptHistory, other: KeptHistory): boolean {
  const partsOf = ({ markets, deposits, withdrawals, zone, unexplained, rereadAt, matched }: KeptHistory) =>
    JSON.stringify([markets, deposits, withdrawals, zone, unexplained, rereadAt, matched]);
  return (
    one.bills.length === other.bills.length &&
    one.bills.at(-1)?.id === other.bills.at(-1)?.id &&
    partsOf(one) === partsOf(other)
  );
}

/** Undefined if the exchange refuses: the key may lack the permission, which trading does not need. */
async function unlessRefused<Value>(read: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof Failure && error.kind === 'refused') return undefined;
    throw error;
  }
}

/** How the records of a list are known again. */
interface RecordList<Entry> {
  keyOf(entry: Entry): string;
  /** Whether it does not change any more. */
  hasEnded(entry: Entry): boolean;
  /** An entry as it is now, with what was known of it before. */
  with(entry: Entry, known: Entry): Entry;
}

/**
 * The records of a list, newest first: new pages until one has a known record, and all that had not ended are read again.
 * @param readsAll reads to the end of the list
 */
async function readOn<Entry>(
  pages: AsyncIterable<readonly Entry[]>,
  known: readonly Entry[],
  list: RecordList<Entry>,
  readsAll: boolean,
): Promise<readonly Entry[]> {
  const byKey = new Map(known.map((entry) => [list.keyOf(entry), entry]));
  const unsettled = new Set(known.filter((entry) => !list.hasEnded(entry)).map(list.keyOf));
  const fresh: Entry[] = [];
  for await (const page of pages) {
    fresh.push(...page);
    for (const entry of page) unsettled.delete(list.keyOf(entry));
    if (!readsAll && unsettled.size === 0 && page.some((entry) => byKey.has(list.keyOf(entry)))) break;
  }
  const freshKeys = new Set(fresh.map(list.keyOf));
  const now = fresh.map((entry) => {
    const before = byKey.get(list.keyOf(entry));
    return before === undefined ? entry : list.with(entry, before);
  });
  return [...now, ...known.filter((entry) => !freshKeys.has(list.keyOf(entry)))];
}

function isFinal(state: Deposit['state'] | Withdrawal['state']): boolean {
  return state === 'success' || state === 'failed' || state === 'cancelled';
}

const DEPOSITS: RecordList<Deposit> = {
  keyOf: ({ id, timeRaw, amount, address }) => JSON.stringify([id, timeRaw, amount, address]),
  // one whose moment is unknown may get one
  hasEnded: ({ state, time }) => time !== null && isFinal(state),
  // the bills that have shown the zone then may not be read again
  with: (deposit, { time }) => ({ ...deposit, time: deposit.time ?? time }),
};

const WITHDRAWALS: RecordList<Withdrawal> = {
  keyOf: ({ id, time, amount, address }) => JSON.stringify([id, time, amount, address]),
  hasEnded: ({ state }) => isFinal(state),
  with: (withdrawal) => withdrawal,
};

/** Whether the first bill of a coin says that the account had some of it before. Bills are oldest first. */
function hadCoinsBefore(bills: readonly Bill[]): boolean {
  const first = new Map<string, Bill>();
  for (const bill of bills) if (!first.has(bill.coin)) first.set(bill.coin, bill);
  return [...first.values()].some(
    ({ balance, change }) => balance !== null && !Decimal.of(balance).equals(Decimal.of(change)),
  );
}

/** What does not add up since the beginning; empty if everything does. */
function unexplainedText({ matched, readAt }: ReadHistory): string {
  const { coins } = reconcile(matched, { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY }, readAt);
  const wrong = coins.filter(({ unexplained }) => unexplained.sign !== 0);
  return wrong.map(({ coin, unexplained }) => `${unexplained.trimmed()} ${quotedName(coin)}`).join(', ');
}

function hasFilled({ filled }: Order): boolean {
  return Decimal.of(filled).sign > 0;
}
