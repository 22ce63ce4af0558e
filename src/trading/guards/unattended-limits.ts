import type { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import type { Order } from '../../domain/order.js';
import { Failure, usage } from '../../errors.js';
import { archivedJob, Job } from '../batches/job.js';
import { parseAmount } from '../expressions.js';
import type { JournalEntry } from '../journal/entry.js';
import { isKind, type MarketSide, marketOf, ordersMadeBy, type RecordedWrite, type Settled } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import type { GuardLimits } from './limits.js';

/** The limits as they are written on a command line. */
export interface GivenLimits {
  readonly markets: readonly string[];
  /** A value in a quote coin, such as `100usdt`. */
  readonly maxOrder: string;
  readonly maxDay: string;
  readonly maxOpen: number;
}

/** Clocks differ: a list is read so much further back than an order was recorded, in milliseconds. */
const CLOCK_SLACK_MS = 86_400_000;

/**
 * What may be sent without asking anybody: in which markets, how much in one order and in one UTC day, and how many orders may be
 * open. All values are in one coin, which all the markets are quoted in. The day and the open orders are those of the account by
 * its journal, so the limits hold across processes and restarts.
 */
export class UnattendedLimits {
  readonly #markets: ReadonlySet<string>;
  readonly #coin: string;
  readonly #maxOrder: Decimal;
  readonly #maxDay: Decimal;
  readonly #maxOpen: number;
  /** The ids of writes all of whose orders are closed: closed orders stay closed. */
  readonly #closed = new Set<string>();

  /** Throws Failure `usage` for limits in different coins. */
  constructor({ markets, maxOrder, maxDay, maxOpen }: GivenLimits) {
    const [order, day] = [coinValue('--max-order', maxOrder), coinValue('--max-day', maxDay)];
    const other = [day.coin, ...markets.map((market) => splitMarket(market)?.quote)].find(
      (coin) => coin !== order.coin,
    );
    if (other !== undefined || markets.length === 0)
      throw usage(
        `--max-order is in ${order.coin}, and ${other === undefined ? 'no market is given' : `another limit or market is in ${other}`}.`,
        'Give --max-order and --max-day in one coin, and --markets that are quoted in it.',
      );
    this.#markets = new Set(markets);
    this.#coin = order.coin;
    this.#maxOrder = order.value;
    this.#maxDay = day.value;
    this.#maxOpen = maxOpen;
  }

  /** As the flags that set them. */
  get text(): string {
    const [order, day] = [this.#maxOrder, this.#maxDay].map((value) => `${value}${this.#coin}`);
    const markets = [...this.#markets].join(',');
    return `--markets ${markets} --max-order ${order} --max-day ${day} --max-open ${this.#maxOpen}`;
  }

  /** The limits of a profile, or these where they are lower. */
  within({ orderNotional, dayNotional, ...limits }: GuardLimits): GuardLimits {
    return {
      ...limits,
      orderNotional: withLower(orderNotional, this.#coin, this.#maxOrder),
      dayNotional: withLower(dayNotional, this.#coin, this.#maxDay),
    };
  }

  /** Throws Failure `usage` for a market that is not one of these. */
  requireMarket(market: string): void {
    if (this.#markets.has(market)) return;
    throw usage(
      `Orders in ${market} need the user's consent: without it, orders are sent in ${[...this.#markets].join(', ')} only.`,
      `The limits are ${this.text}.`,
    );
  }

  /**
   * Throws Failure `usage` if too many orders would be open with those of a write that was just recorded. Counts the orders that
   * pit placed in these markets in the last days and that are open, and all that it may be placing.
   */
  async requireOpen(trading: TradingContext, write: RecordedWrite): Promise<void> {
    const open = (await this.#openBefore(trading, write.id)) + ordersOf(write) - (isKind(write, 'replace') ? 1 : 0);
    if (open <= this.#maxOpen) return;
    throw usage(
      `max-open blocks this: with it, ${open} orders would be open, and the limit is ${this.#maxOpen}. Nothing was sent.`,
      'Cancel orders, or wait until some have filled.',
    );
  }

  /** How many orders of other writes are open, or may be. */
  async #openBefore({ client, journal }: TradingContext, own: string): Promise<number> {
    // the journal first: what is placed meanwhile was recorded before, or counts the write at hand itself
    const { unsettled, settled } = journal.writesSince(0);
    const counts = ({ write }: Pick<Settled, 'write'>) =>
      write.id !== own && this.#markets.has(marketOf(write) ?? '') && !this.#closed.has(write.id);
    const pending = unsettled.filter(counts);
    const pendingIds = new Set(pending.map(({ write }) => write.id));
    const placed = settled
      .filter((one) => counts(one) && !pendingIds.has(one.write.id))
      .flatMap((one) => placedBy(journal, one));
    const open = await openAmong(client, bySide(placed)).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
      const message = `The open orders could not be counted, so nothing was sent: ${error.message}`;
      throw new Failure(error.kind, message, { hint: error.hints });
    });
    for (const { id, ids } of placed) if (!ids.some((one) => open.has(one))) this.#closed.add(id);
    return open.size + pending.reduce((sum, entry) => sum + pendingOrders(entry), 0);
  }
}

function coinValue(flag: string, word: string): { readonly value: Decimal; readonly coin: string } {
  const amount = parseAmount(word);
  if (amount.kind === 'value') return { value: amount.value, coin: amount.coin };
  throw usage(`${flag} is ${word}.`, 'It must be a value in a quote coin, such as 100usdt.');
}

function withLower(limits: ReadonlyMap<string, Decimal>, coin: string, max: Decimal): ReadonlyMap<string, Decimal> {
  const earlier = limits.get(coin);
  return new Map([...limits, [coin, earlier !== undefined && earlier.compare(max) < 0 ? earlier : max]]);
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
  /** The id of the write. */
  readonly id: string;
  readonly time: number;
  readonly ids: readonly string[];
}

function placedBy(journal: TradingContext['journal'], settled: Settled): Placed[] {
  const { write } = settled;
  if (!isKind(write, 'order') && !isKind(write, 'batch')) return [];
  const { market, side } = write.terms;
  const jobIds = isKind(write, 'batch') ? (archivedJob(journal, write.id)?.orderIds ?? []) : [];
  return [{ id: write.id, market, side, time: write.time, ids: [...ordersMadeBy(settled), ...jobIds] }];
}

/** Orders of one side of a market. */
interface Wanted extends MarketSide {
  readonly ids: ReadonlySet<string>;
  /** When the first of them was recorded, in milliseconds since the Unix epoch. */
  readonly oldest: number;
}

function bySide(placed: readonly Placed[]): Wanted[] {
  const sides = new Map<string, Wanted>();
  for (const { market, side, ids, time } of placed) {
    const key = `${market} ${side}`;
    const earlier = sides.get(key);
    sides.set(key, {
      market,
      side,
      ids: new Set([...(earlier?.ids ?? []), ...ids]),
      oldest: Math.min(time, earlier?.oldest ?? time),
    });
  }
  return [...sides.values()];
}

/** Reads the lists of the exchange back to all of these orders. Returns the ids of those that are open. Throws Failure if a list cannot be read. */
async function openAmong(client: TradingContext['client'], sides: readonly Wanted[]): Promise<ReadonlySet<string>> {
  const open = new Set<string>();
  for (const { market, side, ids, oldest } of sides) {
    const left = new Set(ids);
    // what is older than all of them cannot be one of them
    const isEnough = (orders: readonly Order[]) => (orders.at(-1)?.time ?? 0) < oldest - CLOCK_SLACK_MS;
    for await (const { rows } of client.orderPages(market, side, isEnough)) {
      for (const { id, state } of rows) {
        left.delete(id);
        if (ids.has(id) && (state === 'open' || state === 'other')) open.add(id);
      }
      if (left.size === 0) break;
    }
  }
  return open;
}
