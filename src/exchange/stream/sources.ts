import type { Coin } from '../../domain/account.js';
import type { Candle } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import type { Depth, Level, Trade } from '../../domain/market-data.js';
import { markClosed, readCandles } from '../candles.js';
import { BaseSource, type ChannelSource, type HttpData, type PushedData, type SourceContext } from './base-source.js';
import type { ChannelData, ChannelKind, ChannelOf } from './events.js';
import { OrdersSource, ownText } from './orders-source.js';

export function sourceOf(channel: ChannelOf<ChannelKind>, context: SourceContext): ChannelSource {
  switch (channel.kind) {
    case 'ticker':
      return new TickerSource(channel, context);
    case 'depth':
      return new DepthSource(channel, context);
    case 'trades':
      return new TradesSource(channel, context);
    case 'kline':
      return new KlineSource(channel, context);
    case 'orders':
      return new OrdersSource(channel, context);
    case 'balances':
      return new BalancesSource(channel, context);
    case 'crossBalances':
      return new CrossBalancesSource(channel, context);
  }
}

/** The number is the same, however many zeros each text has. */
function isSame(one: string | null, other: string | null): boolean {
  if (one === null || other === null) return one === other;
  return one === other || Decimal.of(one).equals(Decimal.of(other));
}

const PRICES = ['bid', 'ask', 'last'] as const;

class TickerSource extends BaseSource<'ticker', 'ticker'> implements ChannelSource<'ticker'> {
  override readonly isSnapshot = true;
  #last: ChannelData['ticker'] | undefined;

  constructor(channel: ChannelOf<'ticker'>, context: SourceContext) {
    super(channel, context, 'ticker', { market: channel.market });
  }

  override deduplicate(pushed: PushedData<'ticker'>): PushedData<'ticker'> {
    this.#last = pushed.data;
    return pushed;
  }

  /** The numbers of the day change without a trade, as the day moves on. */
  hasMissed({ data }: HttpData<'ticker'>, wasHeard: boolean): boolean {
    const before = this.#last;
    return !wasHeard && before !== undefined && PRICES.some((name) => !isSame(before[name], data[name]));
  }

  decode(frame: unknown): PushedData<'ticker'> {
    const data = this.parsed(frame);
    return { data, time: data.time };
  }

  async read(): Promise<HttpData<'ticker'>> {
    const data = await this.context.client.ticker(this.channel.market);
    return { data, time: data.time, scope: 'snapshot', unrecoverable: null };
  }
}

/** As many levels as are pushed. */
const LEVELS = 50;

class DepthSource extends BaseSource<'depth', 'depth'> implements ChannelSource<'depth'> {
  override readonly isSnapshot = true;
  #last: Depth | undefined;

  constructor(channel: ChannelOf<'depth'>, context: SourceContext) {
    super(channel, context, 'depth', { market: channel.market });
  }

  override deduplicate(pushed: PushedData<'depth'>): PushedData<'depth'> {
    this.#last = pushed.data;
    return pushed;
  }

  hasMissed({ data }: HttpData<'depth'>, wasHeard: boolean): boolean {
    const before = this.#last;
    if (wasHeard || before === undefined) return false;
    return !(isSameSide(before.bids, data.bids) && isSameSide(before.asks, data.asks));
  }

  decode(frame: unknown): PushedData<'depth'> {
    const data = this.parsed(frame);
    return { data, time: data.time };
  }

  async read(): Promise<HttpData<'depth'>> {
    const data = await this.context.client.depth(this.channel.market, LEVELS);
    return { data, time: data.time, scope: 'snapshot', unrecoverable: null };
  }
}

/** Whether two sides of a book are the same as far as both reach: HTTP and pushes may hold a different number of levels. */
function isSameSide(one: readonly Level[], other: readonly Level[]): boolean {
  if ((one.length === 0) !== (other.length === 0)) return false;
  const both = Math.min(one.length, other.length);
  return one.slice(0, both).every(({ price, amount }, index) => {
    const level = other[index];
    return level !== undefined && isSame(price, level.price) && isSame(amount, level.amount);
  });
}

/** "50 after the trade with the id": fewer are the last ones. */
const TRADES_PAGE = 50;
/** 10,000 trades; a longer gap is not filled. */
const MAX_TRADE_PAGES = 200;
/** So many of the latest trades are known, so that none comes twice. */
const KNOWN_TRADES = 5_000;

class TradesSource extends BaseSource<'trades', 'trades'> implements ChannelSource<'trades'> {
  readonly #seen = new Set<bigint>();
  #last: bigint | undefined;

  constructor(channel: ChannelOf<'trades'>, context: SourceContext) {
    super(channel, context, 'trades', { market: channel.market });
  }

  decode(frame: unknown): PushedData<'trades'> {
    return timed(this.parsed(frame));
  }

  override deduplicate({ data }: PushedData<'trades'>): PushedData<'trades'> {
    return timed(data.filter(({ id }) => this.#isNew(BigInt(id))));
  }

  async read(): Promise<HttpData<'trades'>> {
    const { client } = this.context;
    const { market } = this.channel;
    if (this.#last === undefined)
      return { ...timed(await client.trades(market)), scope: 'snapshot', unrecoverable: null };
    let last = this.#last;
    const found: Trade[] = [];
    for (let page = 1; page <= MAX_TRADE_PAGES; page += 1) {
      const rows = await client.trades(market, String(last));
      found.push(...rows);
      const newest = newestOf(rows, last);
      if (rows.length < TRADES_PAGE || newest === last) return { ...timed(found), scope: 'delta', unrecoverable: null };
      last = newest;
    }
    const unrecoverable = `more than ${MAX_TRADE_PAGES * TRADES_PAGE} trades were missed`;
    return { ...timed(found), scope: 'delta', unrecoverable };
  }

  hasMissed({ data }: HttpData<'trades'>): boolean {
    return data.some(({ id }) => !this.#seen.has(BigInt(id)));
  }

  #isNew(id: bigint): boolean {
    if (this.#seen.has(id)) return false;
    this.#seen.add(id);
    if (this.#last === undefined || id > this.#last) this.#last = id;
    if (this.#seen.size > KNOWN_TRADES) for (const oldest of this.#seen) return this.#seen.delete(oldest);
    return true;
  }
}

function newestOf(trades: readonly Trade[], last: bigint): bigint {
  let newest = last;
  for (const { id } of trades) if (BigInt(id) > newest) newest = BigInt(id);
  return newest;
}

function timed(trades: readonly Trade[]): PushedData<'trades'> {
  return { data: trades, time: trades.at(-1)?.time ?? null };
}

/** How many candles a channel begins with. */
const FIRST_CANDLES = 100;

class KlineSource extends BaseSource<'kline', 'kline'> implements ChannelSource<'kline'> {
  #last: Candle | undefined;

  constructor(channel: ChannelOf<'kline'>, context: SourceContext) {
    super(channel, context, 'kline', { market: channel.market, type: channel.type });
  }

  decode(frame: unknown): PushedData<'kline'> {
    return { data: markClosed(this.parsed(frame), this.channel.type, null), time: null };
  }

  override deduplicate(pushed: PushedData<'kline'>): PushedData<'kline'> {
    const last = pushed.data.at(-1);
    if (last !== undefined && last.time >= (this.#last?.time ?? 0)) this.#last = last;
    return pushed;
  }

  /** From the last candle that was seen, which may have changed since. */
  async read(): Promise<HttpData<'kline'>> {
    const { client } = this.context;
    const { market, type } = this.channel;
    const last = this.#last;
    const extent = last === undefined ? { size: FIRST_CANDLES } : { since: () => last.time };
    const { candles, failure } = await readCandles(client, { market, type, ...extent });
    const scope = last === undefined ? 'snapshot' : 'delta';
    return { data: candles, time: null, scope, unrecoverable: failure === null ? null : failure.message };
  }

  /** Candles without a trade need not be sent. */
  hasMissed({ data }: HttpData<'kline'>, wasHeard: boolean): boolean {
    const last = this.#last;
    const hasNews = ({ time, volume }: Candle) => {
      if (last === undefined || time > last.time) return Decimal.of(volume).sign !== 0;
      return time === last.time && !isSame(volume, last.volume);
    };
    return !wasHeard && data.some(hasNews);
  }

  override forget(): void {
    this.#last = undefined;
  }
}

class BalancesSource extends BaseSource<'balances', 'push_user_incr_asset'> implements ChannelSource<'balances'> {
  readonly #balances = new Map<string, Pick<Coin, 'available' | 'frozen'>>();

  constructor(channel: ChannelOf<'balances'>, context: SourceContext) {
    super(channel, context, 'push_user_incr_asset', {});
  }

  override deduplicate(pushed: PushedData<'balances'>): PushedData<'balances'> {
    for (const { coin, available, frozen } of pushed.data)
      this.#balances.set(ownText(coin), { available: ownText(available), frozen: ownText(frozen) });
    return pushed;
  }

  hasMissed({ data }: HttpData<'balances'>, wasHeard: boolean): boolean {
    const differs = ({ coin, available, frozen }: Coin) => {
      const before = this.#balances.get(coin) ?? { available: '0', frozen: '0' };
      return !(isSame(before.available, available) && isSame(before.frozen, frozen));
    };
    return !wasHeard && data.some(differs);
  }

  decode(frame: unknown): PushedData<'balances'> {
    return { data: this.parsed(frame), time: null };
  }

  async read(): Promise<HttpData<'balances'>> {
    const { coins } = await this.context.client.account();
    return { data: coins, time: null, scope: 'snapshot', unrecoverable: null };
  }
}

class CrossBalancesSource
  extends BaseSource<'crossBalances', 'push_user_cross_asset'>
  implements ChannelSource<'crossBalances'>
{
  override readonly hasHttp = false;

  constructor(channel: ChannelOf<'crossBalances'>, context: SourceContext) {
    super(channel, context, 'push_user_cross_asset', {});
  }

  decode(frame: unknown): PushedData<'crossBalances'> {
    return { data: this.parsed(frame), time: null };
  }

  hasMissed(): boolean {
    return false;
  }

  /** The interface has no operation that shows these balances. */
  async read(): Promise<HttpData<'crossBalances'>> {
    throw new Error('cross margin balances cannot be read over HTTP');
  }
}
