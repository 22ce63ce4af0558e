import { coinAmounts } from '../../config/settings.js';
import type { BestPrices } from '../../domain/book.js';
import { Decimal, formatAmount } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import { type Order, referenceText } from '../../domain/order.js';
import { Failure, tryRead, usage } from '../../errors.js';
import type { AlgoTerms } from '../algos/plan/terms.js';
import { agentAlgos, countAlgo } from '../algos/record/agent-algos.js';
import { parentOf } from '../algos/record/child-name.js';
import { archivedJob, Job } from '../batches/job.js';
import { readOpenOfSide } from '../history/open-orders.js';
import type { JournalEntry } from '../journal/entry.js';
import { dateOf } from '../journal/notional.js';
import { isKind, type MarketSide, marketOf, ordersMadeBy, type RecordedWrite, type Settled } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import type { GivenLimits } from './given-limits.js';
import { type GuardLimits, notionalToday } from './limits.js';

/**
 * What an agent may send: in which markets, how much in one order and in one UTC day, and how many orders may be open. The day and the
 * open orders are those of the account by its journal, so the limits hold across processes and restarts. An algo order of an agent counts
 * as a whole from the moment it is made, as if it had placed everything.
 */
export class AgentLimits {
  readonly #markets: ReadonlySet<string> | undefined;
  readonly #maxOrder: ReadonlyMap<string, Decimal>;
  readonly #maxDay: ReadonlyMap<string, Decimal>;
  readonly #maxOpen: number | undefined;

  constructor(readonly given: GivenLimits) {
    const { markets, maxOrder, maxDay, maxOpen } = given;
    this.#markets = markets === undefined ? undefined : new Set(markets);
    this.#maxOrder = coinAmounts(maxOrder);
    this.#maxDay = coinAmounts(maxDay);
    this.#maxOpen = maxOpen;
  }

  /** The limits of an agent. Throws Failure `usage` for one that limits nothing in a market, or is in a coin that no market is quoted in. */
  static of(given: GivenLimits): AgentLimits {
    const { markets, maxOrder, maxDay } = given;
    if (markets === undefined) return new AgentLimits(given);
    const quotes = new Set(markets.map(quoteOf));
    for (const [flag, limit] of [
      ['--max-order', maxOrder],
      ['--max-day', maxDay],
    ] as const) {
      if (limit === undefined) continue;
      const coins = coinAmounts(limit);
      const market = markets.find((name) => !coins.has(quoteOf(name)));
      if (market !== undefined) throw usage(`${flag} ${limit} limits nothing in ${market}.`, IN_QUOTE_COINS);
      const coin = [...coins.keys()].find((one) => !quotes.has(one));
      if (coin !== undefined)
        throw usage(`${flag} ${limit} limits nothing: no market of --markets is quoted in ${coin}.`, IN_QUOTE_COINS);
    }
    return new AgentLimits(given);
  }

  /** The limits of an agent that sends without asking: it needs all of them. Throws Failure `usage` if one is missing, and as {@link of}. */
  static ofUnattended(given: GivenLimits): AgentLimits {
    const { markets = [], maxOrder, maxDay, maxOpen } = given;
    const missing = [
      ...(markets.length === 0 ? ['--markets'] : []),
      ...(maxOrder === undefined ? ['--max-order'] : []),
      ...(maxDay === undefined ? ['--max-day'] : []),
      ...(maxOpen === undefined ? ['--max-open'] : []),
    ];
    if (missing.length > 0) throw usage(`--commit unattended asks nobody, so it needs ${missing.join(', ')}.`, EXAMPLE);
    return AgentLimits.of({ ...given, isUnattended: true });
  }

  /** The limits of a profile, or these where they are lower. */
  within({ orderNotional, dayNotional, ...limits }: GuardLimits): GuardLimits {
    return {
      ...limits,
      orderNotional: lower(orderNotional, this.#maxOrder),
      dayNotional: lower(dayNotional, this.#maxDay),
    };
  }

  /**
   * Throws Failure `usage` for orders in a market that is not one of these or in which a limit limits nothing, and for orders that
   * borrow although they must not.
   */
  requireAllowed({ market, borrows }: { readonly market: string; readonly borrows: boolean }): void {
    if (this.#markets !== undefined && !this.#markets.has(market)) {
      const allowed = [...this.#markets].join(', ');
      throw usage(`An agent may not place orders in ${market}, only in ${allowed}.`, '--markets of pit mcp sets this.');
    }
    const { maxOrder, maxDay, mayBorrow } = this.given;
    const isOpenEnded = (limits: ReadonlyMap<string, Decimal>) => limits.size > 0 && !limits.has(quoteOf(market));
    const flag = isOpenEnded(this.#maxOrder) ? `--max-order ${maxOrder}` : `--max-day ${maxDay}`;
    if (isOpenEnded(this.#maxOrder) || isOpenEnded(this.#maxDay))
      throw usage(`An agent may not place orders in ${market}: ${flag} limits nothing there.`, IN_QUOTE_COINS);
    if (borrows && mayBorrow === false)
      throw usage('An agent that asks nobody may not borrow.', '--allow-borrow of pit mcp allows it.');
  }

  /** Throws Failure `usage` for an algo order that is not allowed, or whose entry or exit is above what one order may come to. */
  requireAllowedAlgo(terms: AlgoTerms, best: BestPrices): void {
    const { market, quote } = terms.market;
    this.requireAllowed({ market, borrows: terms.borrow });
    const { largest } = countAlgo(terms, best);
    const max = this.#maxOrder.get(quote);
    if (max === undefined || largest.compare(max) <= 0) return;
    throw usage(
      `max-order blocks this: as a whole, it comes to ${coins(largest, quote)}, and the limit is ${coins(max, quote)}. ${NOTHING}`,
      'Use a smaller amount.',
    );
  }

  /**
   * Throws Failure `usage` if, with what was recorded already, an algo order would exceed the limit of the day or of open orders. Nothing
   * else may make one meanwhile.
   */
  async requireRoomForAlgo(trading: TradingContext, terms: AlgoTerms, best: BestPrices): Promise<void> {
    const { whole, orders } = countAlgo(terms, best);
    this.#requireDay(trading, terms.market.quote, whole);
    await this.#requireOpen(trading, { id: terms.id, orders, replaced: null });
  }

  /**
   * Throws Failure `usage` if, with a write that was just recorded, the day would come to too much or too many orders would be open.
   * Counts the orders that pit placed in these markets, in the days that the archive keeps, and that are open, and all that it may be placing.
   */
  async requireRoom(trading: TradingContext, write: RecordedWrite): Promise<void> {
    this.#requireDay(trading, quoteOf(marketOf(write) ?? ''), Decimal.zero);
    await this.#requireOpen(trading, {
      id: write.id,
      orders: ordersOf(write),
      replaced: isKind(write, 'replace') ? referenceText(write.terms.order) : null,
    });
  }

  /** The limit of the day without algo orders is among those of the guards: see {@link within}. */
  #requireDay(trading: TradingContext, quote: string, more: Decimal): void {
    const max = this.#maxDay.get(quote);
    if (max === undefined) return;
    const waiting = agentAlgos(trading).filter((one) => one.quote === quote);
    if (waiting.length === 0 && more.sign === 0) return;
    const unplaced = Decimal.sum(waiting.map((one) => one.unplaced)).plus(more);
    const today = notionalToday(trading.journal, quote, trading.host.now()).plus(unplaced);
    if (today.compare(max) <= 0) return;
    throw usage(
      `max-day blocks this: with what algo orders of agents may still place, this UTC day would come to ${coins(today, quote)}, and the limit is ${coins(max, quote)}. ${NOTHING}`,
      'Use less, or cancel algo orders.',
    );
  }

  async #requireOpen(trading: TradingContext, write: OpeningWrite): Promise<void> {
    const { journal, host } = trading;
    const max = this.#maxOpen ?? Number.POSITIVE_INFINITY;
    const algos = agentAlgos({ journal, host }).filter(({ market }) => this.#concerns(market));
    const algoIds = new Set(algos.map(({ id }) => id));
    const { placed, placing } = this.#otherOrders(journal, write.id, algoIds);
    const ofAlgos = algos.reduce((sum, { orders }) => sum + orders, 0);
    // an algo order counts its own
    const own = (algoIds.has(parentOf(write.id) ?? '') ? 0 : write.orders) + ofAlgos + placing;
    const most = placed.reduce((sum, { ids }) => sum + ids.length, own);
    // only a list shows which of them are open
    if (most <= max) return;
    const ids = await openAmong(trading, placed, max).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      const message = `The open orders could not be counted, so nothing was sent: ${error.message}`;
      throw new Failure(error.kind, message, { hint: error.hints });
    });
    const replaced = write.replaced !== null && ids.has(write.replaced) ? 1 : 0;
    const open = ids.size + own - replaced;
    if (open <= max) return;
    throw usage(
      `max-open blocks this: with it, ${open} orders would be open, and the limit is ${max}. Nothing was sent.`,
      'Cancel orders, or wait until some have filled.',
    );
  }

  /** The orders of other writes that may be open, and how many they may be placing; without those of some algo orders. */
  #otherOrders(
    journal: TradingContext['journal'],
    own: string,
    algoIds: ReadonlySet<string>,
  ): { readonly placed: readonly Placed[]; readonly placing: number } {
    // before the lists are read: an order that is placed while they are was recorded before, or counts this write itself
    const { unsettled, settled } = journal.writesSince(0);
    const counts = ({ write }: Pick<Settled, 'write'>) =>
      write.id !== own && this.#concerns(marketOf(write) ?? '') && !algoIds.has(parentOf(write.id) ?? '');
    const pending = unsettled.filter(counts);
    const pendingIds = new Set(pending.map(({ write }) => write.id));
    const placed = settled
      .filter((one) => counts(one) && !pendingIds.has(one.write.id))
      .flatMap((one) => placedBy(journal, one));
    return { placed, placing: pending.reduce((sum, entry) => sum + pendingOrders(entry), 0) };
  }

  #concerns(market: string): boolean {
    return this.#markets === undefined || this.#markets.has(market);
  }
}

/** A write that opens orders. */
interface OpeningWrite {
  readonly id: string;
  readonly orders: number;
  /** The order that it replaces. */
  readonly replaced: string | null;
}

const NOTHING = 'Nothing was sent.';

function coins(amount: Decimal, coin: string): string {
  return `${formatAmount(amount.trimmed())} ${coin}`;
}

const IN_QUOTE_COINS = 'Give each limit in the quote coin of each market, such as 100usdt or 100usdt,0.002btc.';

const EXAMPLE = 'For instance: --markets btc_usdt --max-order 100usdt --max-day 1000usdt --max-open 5.';

function quoteOf(market: string): string {
  return splitMarket(market)?.quote ?? '';
}

function lower(
  limits: ReadonlyMap<string, Decimal>,
  others: ReadonlyMap<string, Decimal>,
): ReadonlyMap<string, Decimal> {
  const isLower = ([coin, max]: readonly [string, Decimal]) => (limits.get(coin) ?? max).compare(max) >= 0;
  return new Map([...limits, ...[...others].filter(isLower)]);
}

/** How many orders a write places. */
function ordersOf(write: RecordedWrite): number {
  if (isKind(write, 'batch')) return write.terms.count;
  return isKind(write, 'order') || isKind(write, 'replace') ? 1 : 0;
}

/** How many orders of an unsettled write may be open. */
function pendingOrders(entry: JournalEntry): number {
  if (!entry.isKind('batch')) return ordersOf(entry.write);
  const isGone = (state: string) => state === 'refused' || (state === 'unsent' && !entry.isUnderWay);
  return new Job(entry).lines.filter(({ state }) => !isGone(state)).length;
}

/** The orders of a settled write. */
interface Placed extends MarketSide {
  /** When the last of them was sent at the latest, in milliseconds since the Unix epoch. */
  readonly sentBefore: number;
  readonly ids: readonly string[];
}

function placedBy(journal: TradingContext['journal'], settled: Settled): Placed[] {
  const { write } = settled;
  if (!isKind(write, 'order') && !isKind(write, 'batch')) return [];
  const { market, side } = write.terms;
  const jobIds = isKind(write, 'batch') ? (archivedJob(journal, write.id)?.orderIds ?? []) : [];
  // a job takes as long as its lines
  const sentBefore = isKind(write, 'batch') ? dateOf(settled) : write.reqTime;
  return [{ market, side, sentBefore, ids: [...ordersMadeBy(settled), ...jobIds] }];
}

/**
 * Reads the orders of the sides in which these were placed. Returns the ids of those that may be open: an order that should be among
 * those that were read and is not, because the list lags behind or was cut, counts as open until the exchange shows the order itself as
 * closed. Throws Failure if a list cannot be read, or an order that was open.
 * @param enough so many open orders are too many already: no more are looked up
 */
async function openAmong(
  trading: TradingContext,
  placed: readonly Placed[],
  enough: number,
): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  const unseen: { readonly market: string; readonly id: string }[] = [];
  const sides = new Map(placed.map((one) => [`${one.market} ${one.side}`, one]));
  for (const { market, side } of sides.values()) {
    const { orders, asked, more, failure } = await readOpenOfSide(trading, { market, side });
    if (failure !== null) throw failure;
    const shown = new Map([...orders, ...asked].map((order) => [order.id, order]));
    // what is older is closed, or was asked for by its id
    const readTo = more ? (orders.at(-1)?.time ?? 0) : 0;
    for (const { ids, sentBefore } of placed.filter((one) => one.market === market && one.side === side)) {
      for (const id of ids) {
        const order = shown.get(id);
        if (order !== undefined && mayBeOpen(order)) open.add(id);
        if (order === undefined && sentBefore >= readTo) unseen.push({ market, id });
      }
    }
  }
  for (const { market, id } of unseen) {
    const isClosed = open.size < enough && (await isShownClosed(trading, market, id));
    if (!isClosed) open.add(id);
  }
  return open;
}

/** An order with a state that the interface does not document may fill. */
function mayBeOpen({ state }: Order): boolean {
  return state === 'open' || state === 'other';
}

async function isShownClosed({ client }: TradingContext, market: string, id: string): Promise<boolean> {
  const order = await tryRead(() => client.findOrder(market, { id }));
  return order !== undefined && (order.state === 'cancelled' || order.state === 'filled');
}
