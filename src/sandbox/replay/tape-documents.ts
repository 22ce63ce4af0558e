import { CANDLE_MS, type CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { MARKET, splitMarket } from '../../domain/market.js';
import { compareIds, isOvertaken, type Level } from '../../domain/market-data.js';
import type { Side } from '../../domain/order.js';
import { type Failure, quoted } from '../../errors.js';
import {
  badLine,
  type CandleEvent,
  type ConfigEvent,
  type PastEvent,
  type TapeEvent,
  type TapeGap,
  type TradeEvent,
} from './tape-event.js';

const SECOND = 1_000;
/** Digits before and after the point. */
const DECIMAL = /^\d{1,15}(?:\.\d{1,18})?$/;
const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const ID = /^\d{1,19}$/;
/** More decimals than any coin has. */
const MOST_DECIMALS = 18;
/** How long the head of a tape is: several channels begin in it. In milliseconds, and in events. */
const HEAD_MS = 3_000;
const LONGEST_HEAD = 5_000;
/** More levels than any exchange sends. */
const MOST_LEVELS = 5_000;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the documents and rows of one file, one after the other: what `pit stream --json` prints, and the rows of `pit kline --out`
 * and `pit trades --out`. What the exchange sent says when it was made, often in whole seconds. When it happens within its second
 * follows from when it arrived, counted from the first arrival of that second. So neither the recorder's clock nor the time that a message
 * took matters, and everything happens in the order in which it arrived.
 */
export class TapeDocuments {
  readonly #file: string;
  readonly #from: number;

  #line = 0;
  #last = Number.NEGATIVE_INFINITY;
  /** The second that was seen last, and when its first document arrived. */
  #second = { date: Number.NEGATIVE_INFINITY, received: 0 };
  /** What waits for the end of the head. */
  #head: TapeEvent[] | undefined = [];
  #hasBegun = false;
  /** When the first document arrived, and the one that is read; undefined for rows. */
  #begun = 0;
  #arrived: number | undefined;
  readonly #seenChannels = new Set<string>();
  readonly #knownCandles = new Map<string, Candle>();
  readonly #newestIds = new Map<string, string>();
  readonly #rowType = new Map<string, CandleType>();
  /** The newest date of each channel. */
  readonly #newest = new Map<string, number>();

  /** @param from candles that are over then are of the past (ms since the Unix epoch) */
  constructor(file: string, from: number) {
    this.#file = file;
    this.#from = from;
  }

  /** The events of a line. Throws Failure `usage` with the line for what is no document of a tape. */
  *read(line: number, text: string): Generator<TapeEvent> {
    this.#line = line;
    let document: unknown;
    try {
      // every number of money is in quotes: one that is not is refused below
      document = JSON.parse(text);
    } catch {
      throw this.#bad('is not JSON');
    }
    if (!isObject(document)) throw this.#bad('is no document of a tape');
    yield* this.#inOrder(this.#eventsOf(document));
  }

  /** The events of a row of fields, as of a CSV or Parquet file. */
  *readRow(line: number, row: Fields): Generator<TapeEvent> {
    this.#line = line;
    yield* this.#inOrder(this.#eventsOf(row));
  }

  /**
   * The events of a row that names no market: `time,open,high,low,close,volume`, the same with six more columns, or
   * `time,trade id,side,price,amount`. Times are milliseconds since the Unix epoch, or microseconds if they have 16 digits.
   * @param length of a candle, in milliseconds
   */
  *readPlainRow(line: number, columns: readonly string[], market: string, length: number): Generator<TapeEvent> {
    this.#line = line;
    const time = plainTime(columns[0] ?? '');
    if (time === undefined) throw this.#bad(`has no time in milliseconds or microseconds: ${shown(columns[0])}`);
    const when = { time: iso(time), market };
    if (columns.length === 5) {
      const [, , side = '', price, amount] = columns;
      const trade = { ...when, id: '0', side: side.toLowerCase(), price: plain(price), amount: plain(amount) };
      for (const event of this.#tradeRow(trade)) yield { ...event, id: null } as TradeEvent;
    } else if (columns.length === 6 || columns.length === 12) {
      const [open, high, low, close, volume] = columns.slice(1).map(plain);
      const candle = this.#candle({ ...when, open, high, low, close, volume });
      if (length % CANDLE_MS['1min'] !== 0) throw this.#bad('is no candle of whole minutes');
      yield* this.#wholeCandle(market, `kline:${market}`, length, candle);
    } else throw this.#bad('does not have 5 columns (trades), or 6 or 12 (candles)');
  }

  /** A last line without its end, as a killed program leaves it. */
  *cutOff(line: number): Generator<TapeEvent> {
    this.#line = line;
    const now = this.#now;
    const reason = `line ${line} of ${this.#file} is cut off, and was left out`;
    yield* this.#inOrder([{ ...this.#event('', now), kind: 'gap', channel: '', from: now, to: now, reason }]);
  }

  /** What is left at the end of the file. */
  *end(): Generator<TapeEvent> {
    yield* this.#begin();
  }

  /**
   * Holds back the head of a tape. Several channels begin there, each with what was before, and the exchange pushes trades that are older
   * than those that were read first.
   */
  *#inOrder(events: Iterable<TapeEvent>): Generator<TapeEvent> {
    for (const event of events) {
      if (this.#head === undefined) yield event;
      else {
        this.#head.push(event);
        this.#hasBegun ||= isLive(event);
      }
    }
    const isOver = this.#arrived === undefined || this.#arrived - this.#begun > HEAD_MS;
    if (this.#hasBegun && (isOver || (this.#head?.length ?? 0) > LONGEST_HEAD)) yield* this.#begin();
  }

  /** The head: rules first, then the trades of the past, then what came in its order. The past happens when the tape begins. */
  *#begin(): Generator<TapeEvent> {
    const head = this.#head ?? [];
    this.#head = undefined;
    const newest = head.reduce((latest, event) => Math.max(latest, 'date' in event ? event.date : event.time), 0);
    const begin = head.find(isLive)?.time ?? newest;
    const at = (event: TapeEvent) => ({ ...event, time: Math.max(event.time, begin) });
    const isOld = (event: TapeEvent) => event.kind === 'trade' && event.isPast;
    yield* head.filter(({ kind }) => kind === 'config').map(at);
    yield* head.filter(isOld).sort(byId).map(at);
    yield* head.filter((event) => event.kind !== 'config' && !isOld(event)).map(at);
  }

  #eventsOf(document: Fields): Iterable<TapeEvent> {
    const { markets, channel } = document;
    if (Array.isArray(markets)) return markets.map((market) => this.#config(market));
    if (typeof channel === 'string') return this.#ofChannel(channel, document);
    if ('type' in document && 'open' in document) return this.#candleRow(document);
    if ('side' in document && 'id' in document) return this.#tradeRow(document);
    throw this.#bad('is no document of a tape');
  }

  #config(fields: unknown): ConfigEvent {
    if (!isObject(fields)) throw this.#bad('has a market without rules');
    const market = this.#market(fields.market);
    const { base = '', quote = '' } = splitMarket(market) ?? {};
    if (fields.base !== base || fields.quote !== quote) throw this.#bad(`has other coins than the market ${market}`);
    return {
      ...this.#event(market, this.#now),
      kind: 'config',
      rules: {
        name: market,
        base,
        quote,
        priceScale: this.#scale(fields, 'priceScale'),
        amountScale: this.#scale(fields, 'amountScale'),
        minAmount: this.#decimal(fields, 'minAmount', true),
        minNotional: this.#decimal(fields, 'minNotional', true),
      },
    };
  }

  *#ofChannel(channel: string, document: Fields): Generator<TapeEvent> {
    const [kind = '', name, type] = channel.split(':');
    const market = name === undefined ? '' : this.#market(name);
    if ('gap' in document) {
      yield this.#gap(market, channel, document);
      return;
    }
    if (kind === 'depth') yield this.#depth(market, channel, document);
    else if (kind === 'trades') yield* this.#trades(market, channel, document);
    else if (kind === 'kline') yield* this.#candles(market, channel, CANDLE_MS[this.#type(type)], document);
    else if (!('data' in document)) throw this.#bad('is no document of a tape');
    // other channels move no market
  }

  #gap(market: string, channel: string, { gap, reason }: Fields): TapeGap {
    if (!isObject(gap)) throw this.#bad('has a gap without a time');
    const [from, to] = [this.#time(gap.from, 'from'), this.#time(gap.to, 'to')];
    const why = typeof reason === 'string' ? reason : 'nothing was recorded';
    return { ...this.#event(market, this.#now), kind: 'gap', channel, from, to, reason: why };
  }

  #depth(market: string, channel: string, document: Fields): TapeEvent {
    const { data } = document;
    if (!isObject(data)) throw this.#bad('has no book');
    const date = this.#time(document.time ?? data.time, 'time');
    this.#requireOrder(channel, date);
    const time = this.#moment(date, this.#received(document));
    const bids = this.#levels(data.bids, 'bids', -1);
    const asks = this.#levels(data.asks, 'asks', 1);
    return { ...this.#event(market, time), kind: 'depth', date, bids, asks };
  }

  #levels(given: unknown, name: string, order: number): readonly Level[] {
    if (!Array.isArray(given)) throw this.#bad(`has no ${name}`);
    if (given.length > MOST_LEVELS) throw this.#bad(`has more than ${MOST_LEVELS} ${name}`);
    let last: string | undefined;
    for (const level of given as unknown[]) {
      if (!isObject(level)) throw this.#bad(`has ${name} without price and amount`);
      const price = this.#decimal(level, 'price');
      this.#decimal(level, 'amount');
      if (last !== undefined && compareTexts(price, last) * order <= 0)
        throw this.#bad(`has ${name} that are not in the order of their prices: ${price} after ${last}`);
      last = price;
    }
    return given as Level[];
  }

  *#trades(market: string, channel: string, document: Fields): Generator<TradeEvent> {
    const isFirst = this.#isFirst(channel) && document.scope === 'snapshot';
    const received = this.#received(document);
    for (const fields of this.#rows(document)) {
      if (this.#market(fields.market) !== market) throw this.#bad(`has a trade of another market than ${market}`);
      const date = this.#time(fields.time, 'time');
      const trade = this.#trade(market, fields);
      const newest = this.#newestIds.get(channel) ?? '';
      const isOlder = compareIds(trade.id ?? '', newest) <= 0;
      const isPast = isFirst || (isOlder && this.#head !== undefined);
      if (!isOlder) this.#newestIds.set(channel, trade.id ?? '');
      if (!isPast || !isOlder) this.#requireOrder(channel, date);
      // the trades of the past say nothing of when the tape begins
      const time = isPast ? this.#now : this.#moment(date, received);
      yield { ...trade, time, date, isPast };
    }
  }

  #trade(market: string, fields: Fields): Omit<TradeEvent, 'time' | 'date' | 'isPast'> {
    const { id, side } = fields;
    if (typeof id !== 'string' || !ID.test(id)) throw this.#bad(`has an invalid id: ${shown(id)}`);
    const [price, amount] = [this.#decimal(fields, 'price'), this.#decimal(fields, 'amount')];
    return { ...this.#event(market, 0), kind: 'trade', id, side: this.#side(side), price, amount };
  }

  /** What is new in the candles of a channel. */
  *#candles(market: string, channel: string, length: number, document: Fields): Generator<CandleEvent | PastEvent> {
    const isFirst = this.#isFirst(channel);
    const received = this.#received(document);
    const rows = this.#rows(document);
    for (const [index, fields] of rows.entries()) {
      const candle = this.#candle(fields);
      const { time: date, high, low, close, volume } = candle;
      const known = this.#knownCandles.get(channel);
      if (known !== undefined && date < known.time) continue;
      this.#knownCandles.set(channel, candle);
      const isNew = known?.time !== date;
      // what is over already when it is first seen was missed
      if (isFirst || (isNew && index < rows.length - 1)) yield this.#pastCandle(market, length, candle);
      else {
        const prices = isNew ? pathOf(candle) : changedPath(known, { high, low, close });
        const added = isNew ? volume : volume.minus(known.volume);
        if (prices.length === 0 && added.sign <= 0) continue;
        const time = this.#moment(date, received, length);
        const when = { ...this.#event(market, time), date: Math.max(date, time), until: time, length };
        for (const part of shares(prices.length === 0 ? [close] : prices, added, known?.close))
          yield { ...when, kind: 'candle', ...part };
      }
    }
  }

  #pastCandle(market: string, length: number, { time, open, high, low, close, volume }: Candle): PastEvent {
    const prices = { open: `${open}`, high: `${high}`, low: `${low}`, close: `${close}`, volume: `${volume}` };
    return { ...this.#event(market, this.#now), kind: 'past', date: time, length, ...prices };
  }

  #candleRow(fields: Fields): Generator<TapeEvent> {
    const market = this.#market(fields.market);
    const type = this.#type(fields.type);
    const known = this.#rowType.get(market);
    if (known !== undefined && known !== type) throw this.#bad(`is a ${type} candle, unlike the lines before it`);
    this.#rowType.set(market, type);
    return this.#wholeCandle(market, `kline:${market}:${type}`, CANDLE_MS[type], this.#candle(fields));
  }

  /** A candle that is over. Its prices are spread over its time. */
  *#wholeCandle(market: string, channel: string, length: number, candle: Candle): Generator<TapeEvent> {
    const { time, volume } = candle;
    const last = this.#newest.get(channel);
    if (last !== undefined && time <= last) throw this.#bad(`is not later than the line before it: ${iso(time)}`);
    this.#newest.set(channel, time);
    if (last !== undefined && time - last > length) {
      const hole = { from: last + length, to: time, reason: 'candles are missing' };
      yield { ...this.#event(market, this.#forward(time)), kind: 'gap', channel, ...hole };
    }
    if (time + length <= this.#from) {
      yield this.#pastCandle(market, length, candle);
      return;
    }
    const parts = shares(pathOf(candle), volume, undefined);
    for (const [index, { side, price, amount }] of parts.entries()) {
      const date = time + Math.floor((index * length) / parts.length);
      yield {
        kind: 'candle',
        time: this.#forward(date),
        market,
        file: this.#file,
        line: this.#line,
        date,
        until: time + length,
        length,
        side,
        price,
        amount,
      };
    }
  }

  *#tradeRow(fields: Fields): Generator<TapeEvent> {
    const market = this.#market(fields.market);
    const date = this.#time(fields.time, 'time');
    this.#requireOrder(`trades:${market}`, date);
    yield { ...this.#trade(market, fields), time: this.#forward(date), date, isPast: false };
  }

  #candle(fields: Fields): Candle {
    const time = this.#time(fields.time, 'time');
    const part = (name: string) => Decimal.of(this.#decimal(fields, name));
    const [open, high, low, close] = [part('open'), part('high'), part('low'), part('close')];
    const volume = Decimal.of(this.#decimal(fields, 'volume', true));
    const isAround = [open, close].every((price) => low.compare(price) <= 0 && high.compare(price) >= 0);
    if (!isAround) throw this.#bad('does not have a low and a high around open and close');
    if (time % CANDLE_MS['1min'] !== 0) throw this.#bad('is no candle of whole minutes');
    return { time, open, high, low, close, volume };
  }

  /** When a document happens that the exchange dates so. @param length of what has this date, in milliseconds */
  #moment(date: number, received: number, length = SECOND): number {
    if (date > this.#second.date) this.#second = { date, received };
    if (date !== this.#second.date || date % SECOND !== 0) return this.#forward(date);
    return this.#forward(date + Math.min(length - 1, Math.max(0, received - this.#second.received)));
  }

  /** Throws Failure `usage` for a document that is long before what the same channel had. */
  #requireOrder(channel: string, date: number): void {
    const newest = this.#newest.get(channel) ?? Number.NEGATIVE_INFINITY;
    if (date < newest && !isOvertaken(date, newest))
      throw this.#bad(
        `goes back in time, from ${iso(newest)} to ${iso(date)}`,
        'What a tape has of a channel is in order of time. Divide it there, or put its lines in order.',
      );
    this.#newest.set(channel, Math.max(date, newest));
  }

  #forward(moment: number): number {
    this.#last = Math.max(this.#last, moment);
    return this.#last;
  }

  /** The moment of the last event; 0 before the first. */
  get #now(): number {
    return Math.max(0, this.#last);
  }

  #isFirst(channel: string): boolean {
    const isFirst = !this.#seenChannels.has(channel);
    this.#seenChannels.add(channel);
    return isFirst;
  }

  #event(market: string, time: number) {
    return { time, market, file: this.#file, line: this.#line };
  }

  #rows({ data }: Fields): readonly Fields[] {
    if (!Array.isArray(data) || !data.every(isObject)) throw this.#bad('has no list of data');
    return data;
  }

  #received(document: Fields): number {
    const received = this.#time(document.received, 'received');
    if (this.#arrived === undefined) this.#begun = received;
    this.#arrived = received;
    return received;
  }

  #market(name: unknown): string {
    if (typeof name === 'string' && name.length <= 41 && MARKET.isExact(name)) return name;
    throw this.#bad(`has an invalid market: ${shown(name)}`);
  }

  #type(type: unknown): CandleType {
    if (typeof type === 'string' && Object.hasOwn(CANDLE_MS, type)) return type as CandleType;
    throw this.#bad(`has an unknown type of candles: ${shown(type)}`);
  }

  #side(side: unknown): Side {
    if (side === 'buy' || side === 'sell') return side;
    throw this.#bad(`has an invalid side: ${shown(side)}`);
  }

  #time(text: unknown, name: string): number {
    const time = typeof text === 'string' && ISO.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(time) || time < 0 || iso(time) !== text) throw this.#bad(`has an invalid ${name}: ${shown(text)}`);
    return time;
  }

  #scale(fields: Fields, name: string): number {
    const scale = fields[name];
    if (typeof scale === 'number' && Number.isInteger(scale) && scale >= 0 && scale <= MOST_DECIMALS) return scale;
    throw this.#bad(`has an invalid ${name}: ${shown(scale)}`);
  }

  /** Decimal text above zero; or zero, if that is allowed. */
  #decimal(fields: Fields, name: string, canBeZero = false): string {
    const text = fields[name];
    if (typeof text !== 'string' || !DECIMAL.test(text)) throw this.#bad(`has an invalid ${name}: ${shown(text)}`);
    if (!canBeZero && !/[1-9]/.test(text)) throw this.#bad(`has zero as its ${name}`);
    return text;
  }

  #bad(problem: string, hint?: string): Failure {
    return badLine({ file: this.#file, line: this.#line }, problem, hint);
  }
}

/** Whether an event is not of before the tape. */
function isLive(event: TapeEvent): boolean {
  return event.kind === 'depth' || event.kind === 'candle' || (event.kind === 'trade' && !event.isPast);
}

function byId(left: TapeEvent, right: TapeEvent): number {
  return left.kind === 'trade' && right.kind === 'trade' ? compareIds(left.id ?? '', right.id ?? '') : 0;
}

interface Prices {
  readonly open: Decimal;
  readonly high: Decimal;
  readonly low: Decimal;
  readonly close: Decimal;
}

interface Candle extends Prices {
  readonly time: number;
  readonly volume: Decimal;
}

/** The prices of a candle in the order in which it reached them, as far as it tells: a rising one has its low first. */
function pathOf({ open, high, low, close }: Prices): Decimal[] {
  const extremes = close.compare(open) >= 0 ? [low, high] : [high, low];
  return withoutRepeats([open, ...extremes, close]);
}

/** The prices that a candle shows and an earlier state of it did not. */
function changedPath(before: Candle, { high, low, close }: Omit<Prices, 'open'>): Decimal[] {
  const extremes = [...(high.compare(before.high) > 0 ? [high] : []), ...(low.compare(before.low) < 0 ? [low] : [])];
  const ordered = close.compare(before.close) >= 0 ? extremes.toReversed() : extremes;
  return extremes.length === 0 && close.equals(before.close) ? [] : withoutRepeats([...ordered, close]);
}

function withoutRepeats(prices: readonly Decimal[]): Decimal[] {
  return prices.filter((price, index) => index === 0 || !price.equals(prices[index - 1] ?? Decimal.zero));
}

/** Spreads a volume over prices, in whole units of its last decimal; the later prices get what is left. */
function shares(prices: readonly Decimal[], volume: Decimal, before: Decimal | undefined) {
  const units = volume.sign > 0 ? volume.units : 0n;
  const count = BigInt(prices.length);
  const [share, rest] = [units / count, Number(units % count)];
  const [less, more] = [share, share + 1n].map((amount) => Decimal.fromUnits(amount, volume.scale).toString());
  return prices.map((price, index) => {
    const earlier = index === 0 ? (before ?? price) : (prices[index - 1] ?? price);
    return {
      price: price.toString(),
      amount: (index >= prices.length - rest ? more : less) ?? '0',
      side: price.compare(earlier) >= 0 ? ('buy' as const) : ('sell' as const),
    };
  });
}

/** Compares decimal texts without a sign: negative if the left one is less. */
function compareTexts(left: string, right: string): number {
  if (left.length === right.length && left.indexOf('.') === right.indexOf('.'))
    return left < right ? -1 : left > right ? 1 : 0;
  return Decimal.of(left).compare(Decimal.of(right));
}

/** The time of a row that names no market; undefined if it is none. In milliseconds since the Unix epoch. */
export function plainTime(text: string): number | undefined {
  return /^\d{12,13}$|^\d{16}$/.test(text) ? Number(text.length === 16 ? text.slice(0, 13) : text) : undefined;
}

/** A number in plain digits, without zeros at its end: some exports have more of them than the market has decimals. */
function plain(text = ''): string {
  return Decimal.parse(text)?.trimmed().toString() ?? text;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function iso(time: number): string {
  return new Date(time).toISOString();
}

function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? 'none');
  return quoted(text.slice(0, 60));
}
