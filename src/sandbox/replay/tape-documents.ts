import { CANDLE_MS, type CandleType } from '../../domain/candle.js';
import { Decimal } from '../../domain/decimal.js';
import { splitMarket } from '../../domain/market.js';
import { compareIds, isOvertaken } from '../../domain/market-data.js';
import { type CandlePath, isHighFirst, pathOf, RANDOM_PATH, WHOLE } from './candle-path.js';
import { changedPath, type FileCandle, type PricePart, shares, withoutRepeats } from './candle-prices.js';
import type { CandleEvent, ConfigEvent, DepthEvent, PastEvent, TapeEvent, TapeGap, TradeEvent } from './tape-event.js';
import { isObject, shown, TapeFields, type TapeRow } from './tape-fields.js';
import { TapeHead } from './tape-head.js';

const SECOND = 1_000;
const SIDES_ELSEWHERE: Readonly<Record<string, string>> = { b: 'buy', bid: 'buy', s: 'sell', ask: 'sell' };

/** How many decimals the amounts of a market have; undefined for an unknown one. */
export type AmountScale = (market: string) => number | undefined;

/**
 * Reads the documents and rows of one file, one after the other: what `pit stream --json` prints, and the rows of `pit kline --out`
 * and `pit trades --out`. What the exchange sent says when it was made, often in whole seconds. When it happens within its second
 * follows from when it arrived, counted from the first arrival of that second. A candle that is still open says only when it began, so it
 * happens as long after the newest dated document as it arrived after it. So neither the recorder's clock nor the time that a message
 * took matters, and everything happens in the order in which it arrived. Only a tape without any dates follows the recorder's clock.
 */
export class TapeDocuments {
  readonly #fields: TapeFields;
  readonly #head = new TapeHead();
  readonly #from: number;
  readonly #path: CandlePath;
  readonly #amountScale: AmountScale;
  readonly #before: ReadonlyMap<string, FileCandle>;

  #last = Number.NEGATIVE_INFINITY;
  /** The second that was seen last, and when its first document arrived. */
  #second = { date: Number.NEGATIVE_INFINITY, received: 0 };
  /** When the newest document arrived; undefined for rows. */
  #arrived: number | undefined;
  readonly #seenChannels = new Set<string>();
  readonly #knownCandles = new Map<string, FileCandle>();
  readonly #newestIds = new Map<string, string>();
  readonly #rowType = new Map<string, CandleType>();
  /** The newest date of each channel. */
  readonly #newest = new Map<string, number>();

  /**
   * @param from candles that are over then are of the past (ms since the Unix epoch)
   * @param amountScale absent: volumes are spread in units of their last decimal
   * @param before the newest candle of each channel in files that were over before this one: it may go on here
   */
  constructor(
    file: string,
    from: number,
    path = RANDOM_PATH,
    amountScale: AmountScale = () => undefined,
    before: ReadonlyMap<string, FileCandle> = new Map(),
  ) {
    this.#fields = new TapeFields(file);
    this.#from = from;
    this.#path = path;
    this.#amountScale = amountScale;
    this.#before = before;
  }

  /** The newest candle of each channel so far. */
  get candles(): ReadonlyMap<string, FileCandle> {
    return this.#knownCandles;
  }

  /** The events of a line. Throws Failure `usage` with the line for what is no document of a tape. */
  read(line: number, text: string): readonly TapeEvent[] {
    this.#fields.line = line;
    return this.#head.add(this.#eventsOf(this.#fields.document(text)), this.#arrived);
  }

  /** The events of a row of fields, as of a CSV or Parquet file. */
  readRow(line: number, row: TapeRow): readonly TapeEvent[] {
    this.#fields.line = line;
    return this.#head.add(this.#eventsOf(row), this.#arrived);
  }

  /**
   * The events of a row that names no market: `time,open,high,low,close,volume`, the same with six more columns, or
   * `time,trade id,side,price,amount`. Times are as in {@link plainTime}.
   * @param length of a candle, in milliseconds
   */
  readPlainRow(line: number, columns: readonly string[], market: string, length: number): readonly TapeEvent[] {
    this.#fields.line = line;
    const time = plainTime(columns[0] ?? '');
    if (time === undefined)
      throw this.#fields.fault(
        `has no time in seconds, milliseconds or microseconds, and none of ISO 8601 in UTC: ${shown(columns[0])}`,
      );
    const when = { time: new Date(time).toISOString(), market };
    if (columns.length === 5) {
      const [, , side = '', price, amount] = columns;
      const trade = {
        ...when,
        id: '0',
        side: SIDES_ELSEWHERE[side.toLowerCase()] ?? side.toLowerCase(),
        price: plain(price),
        amount: plain(amount),
      };
      return [{ ...this.#tradeRow(trade), id: null }];
    }
    if (columns.length === 6 || columns.length === 12) {
      const [open, high, low, close, volume] = columns.slice(1).map(plain);
      const candle = this.#fields.candle({ ...when, open, high, low, close, volume });
      if (length % CANDLE_MS['1min'] !== 0) throw this.#fields.fault('is no candle of whole minutes');
      return this.#wholeCandle(market, `kline:${market}`, length, candle);
    }
    throw this.#fields.fault('does not have 5 columns (trades), or 6 or 12 (candles)');
  }

  /** A last line without its end, as a killed program leaves it. */
  cutOff(line: number): readonly TapeEvent[] {
    this.#fields.line = line;
    const now = this.#now;
    const reason = `line ${line} of ${this.#fields.file} is cut off, and was left out`;
    const gap = { ...this.#event('', now), kind: 'gap', channel: '', from: now, to: now, reason } as const;
    return this.#head.add([gap], this.#arrived);
  }

  /** What is left at the end of the file. */
  end(): readonly TapeEvent[] {
    return this.#head.end();
  }

  #eventsOf(document: TapeRow): readonly TapeEvent[] {
    const { markets, channel } = document;
    if (Array.isArray(markets)) return markets.map((market) => this.#config(market));
    if (typeof channel === 'string') return this.#ofChannel(channel, document);
    if ('type' in document && 'open' in document) return this.#candleRow(document);
    if ('side' in document && 'id' in document) return [this.#tradeRow(document)];
    throw this.#fields.fault('is no document of a tape');
  }

  #config(rules: unknown): ConfigEvent {
    const fields = this.#fields;
    if (!isObject(rules)) throw fields.fault('has a market without rules');
    const market = fields.market(rules.market);
    const { base = '', quote = '' } = splitMarket(market) ?? {};
    if (rules.base !== base || rules.quote !== quote) throw fields.fault(`has other coins than the market ${market}`);
    return {
      ...this.#event(market, this.#now),
      kind: 'config',
      rules: {
        name: market,
        base,
        quote,
        priceScale: fields.scale(rules, 'priceScale'),
        amountScale: fields.scale(rules, 'amountScale'),
        minAmount: fields.decimal(rules, 'minAmount', true),
        minNotional: fields.decimal(rules, 'minNotional', true),
      },
    };
  }

  #ofChannel(channel: string, document: TapeRow): readonly TapeEvent[] {
    const [kind = '', name, type] = channel.split(':');
    const market = name === undefined ? '' : this.#fields.market(name);
    if ('gap' in document) return [this.#gap(market, channel, document)];
    if (kind === 'depth') return [this.#depth(market, channel, document)];
    if (kind === 'trades') return this.#trades(market, channel, document);
    if (kind === 'kline') return this.#candles(market, channel, CANDLE_MS[this.#fields.candleType(type)], document);
    if (!('data' in document)) throw this.#fields.fault('is no document of a tape');
    // other channels move no market
    return [];
  }

  #gap(market: string, channel: string, { gap, reason }: TapeRow): TapeGap {
    if (!isObject(gap)) throw this.#fields.fault('has a gap without a time');
    const [from, to] = [this.#fields.time(gap.from, 'from'), this.#fields.time(gap.to, 'to')];
    const why = typeof reason === 'string' ? reason : 'nothing was recorded';
    return { ...this.#event(market, this.#now), kind: 'gap', channel, from, to, reason: why };
  }

  #depth(market: string, channel: string, document: TapeRow): DepthEvent {
    const { data } = document;
    if (!isObject(data)) throw this.#fields.fault('has no book');
    const date = this.#fields.time(document.time ?? data.time, 'time');
    this.#requireOrder(channel, date);
    const time = this.#moment(date, this.#received(document));
    const bids = this.#fields.levels(data.bids, 'bids', -1);
    const asks = this.#fields.levels(data.asks, 'asks', 1);
    return { ...this.#event(market, time), kind: 'depth', date, bids, asks };
  }

  #trades(market: string, channel: string, document: TapeRow): TradeEvent[] {
    const isFirst = this.#isFirst(channel) && document.scope === 'snapshot';
    const received = this.#received(document);
    return this.#fields.rows(document).map((row) => {
      if (this.#fields.market(row.market) !== market)
        throw this.#fields.fault(`has a trade of another market than ${market}`);
      const date = this.#fields.time(row.time, 'time');
      const trade = this.#trade(market, row);
      const newest = this.#newestIds.get(channel) ?? '';
      const isOlder = compareIds(trade.id ?? '', newest) <= 0;
      const isPast = isFirst || (isOlder && this.#head.isOpen);
      if (!isOlder) this.#newestIds.set(channel, trade.id ?? '');
      if (!isPast || !isOlder) this.#requireOrder(channel, date);
      // the trades of the past say nothing of when the tape begins
      const time = isPast ? this.#now : this.#moment(date, received);
      return { ...trade, time, date, isPast };
    });
  }

  #trade(market: string, row: TapeRow): Omit<TradeEvent, 'time' | 'date' | 'isPast'> {
    const fields = this.#fields;
    const id = fields.id(row.id);
    const [price, amount] = [fields.decimal(row, 'price'), fields.decimal(row, 'amount')];
    return { ...this.#event(market, 0), kind: 'trade', id, side: fields.side(row.side), price, amount };
  }

  /** What is new in the candles of a channel. */
  #candles(market: string, channel: string, length: number, document: TapeRow): TapeEvent[] {
    const received = this.#received(document);
    const rows = this.#fields.rows(document).map((row) => this.#fields.candle(row));
    const before = this.#before.get(channel);
    const goesOn = before !== undefined && rows.some(({ time }) => time === before.time);
    const isFirst = this.#isFirst(channel) && !goesOn;
    if (goesOn && !this.#knownCandles.has(channel)) this.#knownCandles.set(channel, before);
    return rows.flatMap((candle, index): TapeEvent[] => {
      const { time: date, close, volume } = candle;
      const known = this.#knownCandles.get(channel);
      if (known !== undefined && date < known.time) return [];
      this.#knownCandles.set(channel, candle);
      const isNew = known?.time !== date;
      // what is over already when it is first seen was missed
      const isOver = index < rows.length - 1;
      if (isFirst || (isNew && isOver)) {
        const past = this.#pastCandle(market, length, candle, isOver);
        return isOver ? [past] : [past, this.#priceOfCandle(market, length, candle, received)];
      }
      const highFirst = isHighFirst(candle, this.#path, market, length);
      const { open } = candle;
      const isWorst = this.#path.kind === 'worst';
      const before = isNew ? { ...candle, high: open, low: open, close: open } : known;
      const changed = (first: boolean) => {
        const path = [...(isNew ? [open] : []), ...changedPath(before, candle, first)];
        return isWorst ? path : withoutRepeats(path);
      };
      const prices = changed(highFirst);
      const added = isNew ? volume : volume.minus(known.volume);
      if (prices.length === 0 && added.sign <= 0) return [];
      const time = this.#momentOfCandle(date, received);
      const when = { ...this.#event(market, time), date: dateWithin(date, length, time), until: time, length };
      const scale = this.#amountScale(market) ?? 0;
      const parts = (path: readonly Decimal[]) =>
        shares(path.length === 0 ? [close] : path, added, known?.close, scale);
      const others = isWorst ? parts(changed(false)) : [];
      return parts(prices).map((part, index) => ({
        ...when,
        kind: 'candle' as const,
        ...part,
        ...lowFirst(others[index]),
        ...(before?.time === date ? { goesOn: true } : {}),
      }));
    });
  }

  /** The price of a candle that is open when the recording begins. What was traded in it before fills nothing. */
  #priceOfCandle(market: string, length: number, candle: FileCandle, received: number): CandleEvent {
    const { time: begin, close, volume } = candle;
    const time = this.#momentOfCandle(begin, received);
    return {
      ...{ ...this.#event(market, time), kind: 'candle', length, until: time },
      ...{ date: dateWithin(begin, length, time), side: 'buy', price: close.toString() },
      ...{ amount: '0', volume: volume.toString() },
    };
  }

  #pastCandle(
    market: string,
    length: number,
    { time, open, high, low, close, volume }: FileCandle,
    isOver: boolean,
  ): PastEvent {
    const prices = { open: `${open}`, high: `${high}`, low: `${low}`, close: `${close}`, volume: `${volume}` };
    return { ...this.#event(market, this.#now), kind: 'past', date: time, length, isOver, ...prices };
  }

  #candleRow(row: TapeRow): readonly TapeEvent[] {
    const market = this.#fields.market(row.market);
    const type = this.#fields.candleType(row.type);
    const known = this.#rowType.get(market);
    if (known !== undefined && known !== type)
      throw this.#fields.fault(`is a ${type} candle, unlike the lines before it`);
    this.#rowType.set(market, type);
    return this.#wholeCandle(market, `kline:${market}:${type}`, CANDLE_MS[type], this.#fields.candle(row));
  }

  /** A candle that is over. Its prices are spread over its time; those before the part that is read are of the past. */
  #wholeCandle(market: string, channel: string, length: number, candle: FileCandle): readonly TapeEvent[] {
    const { time, volume } = candle;
    const last = this.#newest.get(channel);
    if (last !== undefined && time <= last)
      throw this.#fields.fault(`is not later than the line before it: ${new Date(time).toISOString()}`);
    this.#newest.set(channel, time);
    const events: TapeEvent[] = [];
    if (last !== undefined && time - last > length) {
      const hole = { from: last + length, to: time, reason: 'candles are missing' };
      events.push({ ...this.#event(market, this.#forward(time)), kind: 'gap', channel, ...hole });
    }
    if (time + length <= this.#from) {
      events.push(this.#pastCandle(market, length, candle, true));
      return events;
    }
    const points = pathOf(candle, this.#path, market, length);
    const prices = points.map(({ price }) => price);
    const scale = this.#amountScale(market) ?? 0;
    const parts = shares(prices, volume, undefined, scale);
    const others = this.#path.kind === 'worst' ? shares(swapped(prices), volume, undefined, scale) : [];
    const { file, line } = this.#fields;
    const dates = points.map(({ at }) => time + Math.floor((at / WHOLE) * length));
    const begun = dates.filter((date) => date < this.#from).length;
    if (begun > 0) {
      const before = { ...candle, ...rangeOf(prices.slice(0, begun)), volume: amountOf(parts.slice(0, begun)) };
      events.push(this.#pastCandle(market, length, before, false));
    }
    const shown = (begun > 0 ? amountOf(parts.slice(begun)) : volume).toString();
    for (const [index, { side, price, amount }] of parts.entries()) {
      if (index < begun) continue;
      const date = dates[index] ?? time;
      events.push({
        kind: 'candle',
        time: this.#forward(date),
        market,
        file,
        line,
        date,
        until: time + length,
        length,
        side,
        price,
        amount,
        volume: index === begun ? shown : '0',
        whole: candle,
        ...lowFirst(others[index]),
      });
    }
    return events;
  }

  #tradeRow(row: TapeRow): TradeEvent {
    const market = this.#fields.market(row.market);
    const date = this.#fields.time(row.time, 'time');
    this.#requireOrder(`trades:${market}`, date);
    return { ...this.#trade(market, row), time: this.#forward(date), date, isPast: false };
  }

  /** When a document happens that the exchange dates so. */
  #moment(date: number, received: number): number {
    // candles that arrived before it have only the recorder's clock, which may be ahead
    if (this.#second.date === Number.NEGATIVE_INFINITY && this.#head.isOpen) this.#last = Math.min(this.#last, date);
    if (date > this.#second.date) this.#second = { date, received };
    if (date !== this.#second.date || date % SECOND !== 0) return this.#forward(date);
    return this.#forward(date + Math.min(SECOND - 1, Math.max(0, received - this.#second.received)));
  }

  /**
   * When a candle happens that is still open: when it arrived, by the exchange's clock as the newest date of a document shows it. Without
   * any, by the recorder's clock. It is not before its candle begins.
   * @param begin of the candle, in milliseconds since the Unix epoch
   */
  #momentOfCandle(begin: number, received: number): number {
    const { date, received: first } = this.#second;
    const arrived = Number.isFinite(date) ? date + received - first : received;
    if (begin > arrived) this.#second = { date: begin, received };
    return this.#forward(Math.max(begin, arrived));
  }

  /** Throws Failure `usage` for a document that is long before what the same channel had. */
  #requireOrder(channel: string, date: number): void {
    const newest = this.#newest.get(channel) ?? Number.NEGATIVE_INFINITY;
    if (date < newest && !isOvertaken(date, newest))
      throw this.#fields.fault(
        `goes back in time, from ${new Date(newest).toISOString()} to ${new Date(date).toISOString()}`,
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
    const { file, line } = this.#fields;
    return { time, market, file, line };
  }

  #received(document: TapeRow): number {
    this.#arrived = this.#fields.time(document.received, 'received');
    return this.#arrived;
  }
}

function rangeOf(prices: readonly Decimal[]): Pick<FileCandle, 'high' | 'low' | 'close'> {
  const [first = Decimal.zero] = prices;
  return {
    high: prices.reduce((high, price) => (price.compare(high) > 0 ? price : high), first),
    low: prices.reduce((low, price) => (price.compare(low) < 0 ? price : low), first),
    close: prices.at(-1) ?? first,
  };
}

function amountOf(parts: readonly PricePart[]): Decimal {
  return parts.reduce((sum, { amount }) => sum.plus(Decimal.of(amount)), Decimal.zero);
}

/** A time as one of a candle: what closes it may arrive after its end. All in milliseconds. */
function dateWithin(begin: number, length: number, time: number): number {
  return Math.min(Math.max(begin, time), begin + length - 1);
}

/** Open, low, high and close from open, high, low and close. */
function swapped(prices: readonly Decimal[]): readonly Decimal[] {
  const [open, high, low, close] = prices;
  return open && high && low && close ? [open, low, high, close] : prices;
}

function lowFirst(part: PricePart | undefined): Pick<CandleEvent, 'lowFirst'> {
  return part === undefined ? {} : { lowFirst: part };
}

const ISO_UTC = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?))?(?:Z| ?UTC|\+00:?00)?$/;

/**
 * The time of a row that names no market, in milliseconds since the Unix epoch; undefined if it is none. It has seconds, milliseconds or
 * microseconds, or is a date of ISO 8601 in UTC.
 */
export function plainTime(text: string): number | undefined {
  if (/^\d{12,13}$|^\d{16}$/.test(text)) return Number(text.length === 16 ? text.slice(0, 13) : text);
  if (/^\d{9,10}(?:\.\d{1,9})?$/.test(text)) return Math.floor(Number(text) * SECOND);
  const [, day, clock = '00:00:00'] = ISO_UTC.exec(text) ?? [];
  const time = day === undefined ? Number.NaN : Date.parse(`${day}T${clock.length === 5 ? `${clock}:00` : clock}Z`);
  return Number.isNaN(time) ? undefined : time;
}

/** A number in plain digits, without zeros at its end: some exports have more of them than the market has decimals. */
function plain(text = ''): string {
  return Decimal.parse(text)?.trimmed().toString() ?? text;
}
