import { describe, expect, test } from 'vitest';
import type { Depth, Trade } from '../../../../src/domain/market-data.js';
import { Failure } from '../../../../src/errors.js';
import type { Exchange, ExchangeStream, StreamEvent, WantedSince } from '../../../../src/exchange/exchange.js';
import type { Gap, GapPrices } from '../../../../src/trading/algos/market/gap-prices.js';
import type { MarketReader } from '../../../../src/trading/algos/market/market-readers.js';
import { WatchedMarket } from '../../../../src/trading/algos/market/watched-market.js';
import { STALE_MS } from '../../../../src/trading/algos/plan/algo-market.js';
import { eventually } from '../../../support/eventually.js';

// What is known of a market, and how old it is. The clocks stand until a test moves them; the exchange's is at the same time.

const START = Date.UTC(2026, 0, 5);
const DEPTH = { kind: 'depth', market: 'btc_usdt' } as const;
const TRADES = { kind: 'trades', market: 'btc_usdt' } as const;
const ORDERS = { kind: 'orders', market: 'btc_usdt' } as const;

function bookOf(bid: string, time: number): Depth {
  return { time, bids: [{ price: bid, amount: '1' }], asks: [{ price: String(Number(bid) + 1), amount: '1' }] };
}

/** A stream that hands over what a test pushes. */
class Pushed {
  readonly #events: StreamEvent[] = [];
  readonly #trades: Trade[] = [];
  #wake = () => {};
  #book: { readonly value: Depth; readonly at: number } | undefined;
  #tradesAt = 0;
  #ahead:
    | Readonly<Record<'book' | 'trades', { readonly value: Depth | readonly Trade[]; readonly at: number }>>
    | undefined;

  constructor(readonly monotonic: () => number) {}

  /** @param skipped how many books it stands for that were dropped */
  push(book: Depth, skipped = 0): void {
    this.#know(book);
    const received = START + this.monotonic();
    this.#emit({ type: 'data', channel: DEPTH, data: book, source: 'push', received, skipped });
  }

  /** HTTP shows this: something new while nothing is pushed, or what is known. */
  read(book: Depth): void {
    const isNew = book.bids[0]?.price !== this.#book?.value.bids[0]?.price;
    this.#know(book);
    if (isNew) this.#emit({ type: 'data', channel: DEPTH, data: book, source: 'http', skipped: 0 });
    else this.#emit({ type: 'checked', channel: DEPTH });
  }

  /** HTTP shows what may still be on its way as a push. */
  readAhead(book: Depth, trades: readonly Trade[] = []): void {
    const at = this.monotonic();
    this.#ahead = { book: { value: book, at }, trades: { value: trades, at } };
    for (const channel of [DEPTH, TRADES]) this.#emit({ type: 'checked', channel });
  }

  /** The books since a time may be missing. */
  miss(from: number, { isOpen }: { readonly isOpen: boolean }): void {
    const gap = { from, to: START + this.monotonic(), resynchronised: !isOpen, permanent: false };
    this.#emit({ type: 'gap', channel: DEPTH, gap });
  }

  of({ kind }: { readonly kind: string }) {
    const now = this.monotonic();
    const aheadOf = (seen: { readonly value: unknown; readonly at: number } | undefined) =>
      seen === undefined ? {} : { ahead: { value: seen.value, ageMs: now - seen.at } };
    if (kind === 'trades' && this.#trades.length > 0)
      return { value: this.#trades, provenMs: now - this.#tradesAt, ...aheadOf(this.#ahead?.trades) };
    if (kind !== 'depth' || this.#book === undefined) return undefined;
    return { value: this.#book.value, provenMs: now - this.#book.at, ...aheadOf(this.#ahead?.book) };
  }

  pushTrades(trades: readonly Trade[]): void {
    this.#trades.push(...trades);
    this.#tradesAt = this.monotonic();
    this.#emit({ type: 'data', channel: TRADES, data: trades, source: 'push' });
  }

  #know(book: Depth): void {
    this.#book = { value: book, at: this.monotonic() };
    this.#ahead = undefined;
  }

  #emit(event: object): void {
    this.#events.push(event as never);
    this.#wake();
  }

  close(): void {}

  async *[Symbol.asyncIterator]() {
    for (;;) {
      for (let event = this.#events.shift(); event !== undefined; event = this.#events.shift()) yield event;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

class Scene {
  passed = 0;
  /** What is pushed at the start, or only shown by HTTP; undefined: neither. */
  shown: Depth | undefined = bookOf('100', START);
  isPushed = true;
  /** How far this machine's clock was set ahead, and whether the exchange has shown its own since. */
  ahead = 0;
  isTimeKnown = true;
  readonly streams: Pushed[] = [];
  wantedSince: WantedSince = () => null;
  readonly gaps: Gap[] = [];
  /** What was found out of them. */
  readonly read: GapPrices[] = [];
  /** What HTTP shows of trades, oldest first; undefined: it does not answer. */
  trades: Trade[] | undefined = [];
  /** When each page of trades was asked for: the newest ones, or those after an id. */
  readonly askedFor: (string | undefined)[] = [];
  readonly warnings: string[] = [];
  /** The trades that its reader was given. */
  readonly traded: Trade[] = [];
  sleeps: (() => void)[] = [];
  changes = 0;
  /** The best bid at each of them. */
  readonly bids: (string | undefined)[] = [];
  onChange = () => {};
  checkAwake = () => {};
  readonly market: WatchedMarket;
  readonly reader: MarketReader;

  constructor() {
    const monotonic = () => this.passed;
    const now = () => START + this.passed;
    const scene = this;
    const client = {
      marketNow: () => now() + this.ahead,
      clockSpeed: 1,
      get isMarketTimeKnown() {
        return scene.isTimeKnown;
      },
      trades: async (_: string, since?: string) => {
        this.askedFor.push(since);
        if (this.trades === undefined) throw new Failure('unreachable', 'no answer');
        const later = this.trades.filter(({ id }) => since === undefined || Number(id) > Number(since));
        return since === undefined ? later.slice(-50) : later.slice(0, 50);
      },
      candles: async () => ({
        candles: [START, START + 60_000].map((time) => ({ time, high: '120', low: '80' })),
        failure: null,
      }),
    };
    this.market = new WatchedMarket({
      host: { now, monotonic, sleep: () => new Promise<void>((resolve) => void this.sleeps.push(resolve)) },
      market: 'btc_usdt',
      client: client as unknown as Exchange,
      restartBudget: () => {},
      follow: async (_, { wantedSince }) => {
        const stream = new Pushed(monotonic);
        this.streams.push(stream);
        this.wantedSince = wantedSince;
        if (this.shown !== undefined && this.isPushed) stream.push(this.shown);
        else if (this.shown !== undefined) stream.read(this.shown);
        return stream as unknown as ExchangeStream;
      },
      staleAfterMs: STALE_MS,
      checkAwake: () => this.checkAwake(),
      warn: (message) => void this.warnings.push(message),
    });
    this.reader = {
      changed: () => {
        this.changes += 1;
        this.bids.push(this.bid);
        this.onChange();
      },
      traded: (trades) => void this.traded.push(...trades),
      orders: () => {},
      isUnmovedBy: () => false,
      gapEnded: (gap) => void this.gaps.push(gap),
      gapRead: (prices) => void this.read.push(prices),
    };
    this.market.add(this.reader);
  }

  static async begin(isPushed = true): Promise<Scene> {
    const scene = new Scene();
    scene.isPushed = isPushed;
    scene.market.start();
    await eventually(() => expect([scene.streams.length, scene.bid]).toEqual([1, '100']));
    return scene;
  }

  get bid(): string | undefined {
    return this.market.book()?.bid?.toString();
  }

  /** The newest stream pushes a book, made so long ago. */
  async push(bid: string, agoMs = 0): Promise<void> {
    const { changes } = this;
    this.streams.at(-1)?.push(bookOf(bid, START + this.passed - agoMs));
    await eventually(() => expect(this.changes).toBeGreaterThan(changes));
  }

  async pushTrades(trades: readonly Trade[]): Promise<void> {
    const { changes } = this;
    this.streams.at(-1)?.pushTrades(trades);
    await eventually(() => expect(this.changes).toBeGreaterThan(changes));
  }

  pass(ms: number): void {
    this.passed += ms;
  }
}

describe('a book', () => {
  test('is as old as the moment at which it came', async () => {
    const scene = await Scene.begin();
    scene.pass(STALE_MS);
    expect([scene.market.isFresh, scene.market.book()?.ageMs]).toEqual([true, 5_000]);
    scene.pass(1);
    expect([scene.market.isFresh, scene.market.bookView()]).toEqual([false, undefined]);
  });

  test('that was held up on its way is as old as the exchange dates it', async () => {
    const scene = await Scene.begin();
    scene.pass(60_000);
    await scene.push('101', STALE_MS + 1);
    expect([scene.bid, scene.market.isFresh]).toEqual(['101', false]);
    await scene.push('102', 3_000);
    expect([scene.bid, scene.market.book()?.ageMs]).toEqual(['102', 3_000]);
  });

  test('is seen even if the next one came together with it', async () => {
    const scene = await Scene.begin();
    const stream = scene.streams[0];
    const seen = scene.bids.length;
    for (const bid of ['110', '90', '101']) stream?.push(bookOf(bid, START));
    await eventually(() => expect(scene.bids.slice(seen)).toEqual(['110', '90', '101']));
    expect(scene.bid).toBe('101');
  });

  test('that waited in this process has the age with which it is taken', async () => {
    const scene = await Scene.begin();
    scene.pass(10_000);
    scene.streams[0]?.push(bookOf('110', START + 70_000));
    scene.pass(STALE_MS + 1);
    const ages: (number | undefined)[] = [];
    scene.onChange = () => ages.push(scene.market.book()?.ageMs);
    scene.streams[0]?.push(bookOf('101', START + 70_000));
    await eventually(() => expect(ages.slice(0, 2)).toEqual([STALE_MS + 1, 0]));
  });

  test('is to be read again before it becomes old, and at once if somebody asks for it; trades only if they are needed', async () => {
    const scene = await Scene.begin();
    const wanted = () => [DEPTH, TRADES, ORDERS].map((channel) => scene.wantedSince(channel));
    expect(wanted()).toEqual([-STALE_MS / 2, null, null]);
    scene.pass(4_000);
    scene.market.needsTrades = true;
    expect(wanted()).toEqual([1_500, 1_500, null]);
    scene.market.refresh();
    scene.pass(100);
    expect(wanted()).toEqual([4_000, 4_000, null]);
    scene.pass(3_900);
    expect(wanted()).toEqual([5_500, 5_500, null]);
  });

  test('is as young as the read that has shown the same', async () => {
    const scene = await Scene.begin();
    scene.pass(4_000);
    scene.streams[0]?.read(bookOf('100', START + 4_000));
    scene.pass(2_000);
    expect([scene.market.isFresh, scene.market.book()?.ageMs]).toEqual([true, 2_000]);
  });

  test('and a trade that HTTP shows count at once, though they may still be on their way as pushes', async () => {
    const scene = await Scene.begin();
    await scene.pushTrades([trade(4, '100', 0)]);
    scene.pass(3_000);
    const { changes } = scene;
    scene.streams[0]?.readAhead(bookOf('97', START + 3_000), [trade(6, '98', 2), trade(5, '99', 1)]);
    await eventually(() => expect(scene.changes).toBeGreaterThan(changes));
    expect([scene.bid, scene.market.book()?.ageMs]).toEqual(['97', 0]);
    const { prices, ageMs } = scene.market.lastTrades() ?? {};
    expect([prices?.map(String), ageMs]).toEqual([['98'], 0]);
  });
});

function trade(id: number, price: string, second: number): Trade {
  const time = START + second * 1_000;
  return { id: String(id), price, amount: '1', side: 'buy', orderSide: null, time };
}

describe('a time in which the market was not seen', () => {
  const pricesOf = (read: GapPrices | undefined) => read?.traded.map(({ high }) => high.toString());

  test('is reported once it is seen again, and then read: only its trades show what it was', async () => {
    const scene = await Scene.begin();
    scene.pass(5_000);
    await scene.push('101');
    expect(scene.gaps).toEqual([]);
    scene.trades = [trade(6, '130', 4), trade(7, '104', 7), trade(8, '103', 9), trade(9, '140', 12)];
    scene.pass(5_001);
    await scene.push('102');
    expect(scene.gaps).toEqual([{ from: START + 5_000, to: START + 10_001 }]);
    await eventually(() => expect(scene.read).toMatchObject([{ gap: scene.gaps[0], unknown: null }]));
    expect(pricesOf(scene.read[0])).toEqual(['104', '103']);
  });

  test('is read from the newest trade on that was known before it, page by page', async () => {
    const scene = await Scene.begin();
    await scene.pushTrades([trade(100, '100', 0)]);
    await scene.push('100');
    scene.trades = Array.from({ length: 120 }, (_, index) => trade(101 + index, '105', 1 + index / 100));
    scene.pass(6_000);
    await scene.push('102');
    await eventually(() => expect(scene.read).toMatchObject([{ unknown: null }]));
    expect([scene.askedFor, scene.read[0]?.traded.length]).toEqual([['100', '150', '200'], 120]);
  });

  test('is read from candles too if its trades are not all shown, without the minute that began before it, which is named', async () => {
    const scene = await Scene.begin();
    scene.pass(5_000);
    await scene.push('101');
    scene.trades = Array.from({ length: 50 }, (_, index) => trade(index, '105', 90));
    scene.pass(90_000);
    await scene.push('102');
    await eventually(() => expect(scene.read).toHaveLength(1));
    expect(new Set(pricesOf(scene.read[0]))).toEqual(new Set(['105', '120']));
    expect(scene.read[0]?.unknown).toEqual({ from: START + 5_000, to: START + 60_000 });
  });

  test('that cannot be read is tried again, and then counts as unknown from its start to its end', async () => {
    const scene = await Scene.begin();
    scene.trades = undefined;
    scene.pass(6_000);
    await scene.push('102');
    await eventually(() => {
      for (const wake of scene.sleeps.splice(0)) wake();
      expect(scene.read).toEqual([{ gap: scene.gaps[0], traded: [], unknown: scene.gaps[0] }]);
    });
    expect(scene.askedFor.length).toBeGreaterThan(2);
    expect(scene.warnings.join()).toContain('could not be read, so a crossing may be missing');
  });

  test('is over with the cut that caused it, however short, and whatever was read over HTTP meanwhile', async () => {
    const scene = await Scene.begin();
    await scene.pushTrades([trade(4, '100', 1), trade(5, '100', 2)]);
    scene.pass(3_000);
    await scene.push('101');
    scene.pass(2_500);
    scene.streams[0]?.read(bookOf('102', START + 5_500));
    await eventually(() => expect(scene.bid).toBe('102'));
    scene.trades = [trade(5, '100', 2), trade(6, '130', 4), trade(7, '102', 5)];
    await scene.pushTrades(scene.trades.slice(-1));
    const stream = scene.streams[0];
    stream?.miss(START + 3_500, { isOpen: true });
    await scene.push('102');
    expect(scene.gaps).toEqual([]);
    scene.pass(500);
    stream?.miss(START + 3_500, { isOpen: false });
    await scene.push('103');
    expect(scene.gaps).toEqual([{ from: START + 3_500, to: START + 6_000 }]);
    await eventually(() => expect(scene.read).toMatchObject([{ unknown: null }]));
    expect([pricesOf(scene.read[0]), scene.askedFor]).toEqual([['102', '130'], ['5']]);
  });

  test('is reported once, though it was too long and a cut as well', async () => {
    const scene = await Scene.begin();
    scene.pass(6_000);
    scene.streams[0]?.miss(START + 1_000, { isOpen: false });
    await scene.push('102');
    expect(scene.gaps).toEqual([{ from: START, to: START + 6_000 }]);
    scene.pass(1_000);
    scene.streams[0]?.miss(START + 1_000, { isOpen: false });
    await scene.push('103');
    expect(scene.gaps.slice(1)).toEqual([{ from: START + 6_000, to: START + 7_000 }]);
  });

  test.each([
    [2_000, [{ from: START, to: START + 2_000 }]],
    [500, []],
  ])('is that before the first push, %d ms after the start, though HTTP was read', async (ms, gaps) => {
    const scene = await Scene.begin(false);
    scene.pass(ms);
    await scene.push('101');
    expect(scene.gaps).toEqual(gaps);
  });

  test('is that since another process saw it, until the market is seen, for an algo order that is taken over', async () => {
    const scene = new Scene();
    scene.shown = undefined;
    const gaps: Gap[] = [];
    const reader = {
      traded: () => {},
      orders: () => {},
      isUnmovedBy: () => false,
      gapRead: () => {},
      changed: () => {},
    };
    scene.market.add({ ...reader, gapEnded: (gap) => void gaps.push(gap) }, { since: START - 9_000, leastMs: 5_000 });
    scene.market.start();
    await eventually(() => expect(scene.streams).toHaveLength(1));
    scene.pass(3_000);
    await scene.push('101');
    expect([gaps, scene.gaps]).toEqual([[{ from: START - 9_000, to: START + 3_000 }], []]);
    await scene.push('102');
    expect(gaps).toHaveLength(1);
  });

  test('of the others goes on while an algo order is taken over, for which it ends at once', async () => {
    const scene = await Scene.begin();
    scene.pass(4_000);
    const gaps: Gap[] = [];
    const reader = {
      traded: () => {},
      orders: () => {},
      isUnmovedBy: () => false,
      gapRead: () => {},
      changed: () => {},
    };
    scene.market.add({ ...reader, gapEnded: (gap) => void gaps.push(gap) }, { since: START - 9_000, leastMs: 5_000 });
    expect([gaps, scene.gaps]).toEqual([[{ from: START - 9_000, to: START + 4_000 }], []]);
    scene.pass(4_000);
    await scene.push('101');
    expect(scene.gaps).toEqual([{ from: START, to: START + 8_000 }]);
  });

  test('is reported from its beginning, though a later part of it was too long and reported before', async () => {
    const scene = await Scene.begin();
    scene.pass(5_000);
    const { changes } = scene;
    scene.streams[0]?.read(bookOf('101', START + 5_000));
    await eventually(() => expect(scene.changes).toBeGreaterThan(changes));
    scene.pass(6_000);
    await scene.push('102');
    expect(scene.gaps).toEqual([{ from: START + 5_000, to: START + 11_000 }]);
    scene.streams[0]?.miss(START + 3_000, { isOpen: false });
    await scene.push('103');
    expect(scene.gaps.slice(1)).toEqual([{ from: START + 3_000, to: START + 11_000 }]);
  });

  test('is one in which books were dropped because this process was too slow, whatever was read meanwhile', async () => {
    const scene = await Scene.begin();
    await scene.push('100');
    scene.pass(2_000);
    scene.streams[0]?.readAhead(bookOf('103', START + 2_000));
    scene.streams[0]?.push(bookOf('101', START + 2_000), 7);
    await eventually(() => expect(scene.gaps).toEqual([{ from: START, to: START + 2_000 }]));
  });

  test('ends with a read that shows what was known before', async () => {
    const scene = await Scene.begin();
    scene.pass(6_000);
    scene.streams[0]?.read(bookOf('100', START + 6_000));
    await eventually(() => expect(scene.gaps).toEqual([{ from: START, to: START + 6_000 }]));
  });

  test('is known while trades are taken that came before the book that ends it', async () => {
    const scene = await Scene.begin();
    scene.pass(6_000);
    const ending: (Gap | null)[] = [];
    scene.onChange = () => ending.push(scene.market.endingGap(scene.reader));
    scene.streams[0]?.pushTrades([trade(1, '97', 6)]);
    await eventually(() => expect(ending).toEqual([null]));
    scene.streams[0]?.pushTrades([trade(2, '97', 6)]);
    scene.streams[0]?.push(bookOf('97', START + 6_000));
    await eventually(() => expect(ending.slice(0, 3)).toEqual([null, { from: START, to: START + 6_000 }, null]));
    expect(scene.gaps).toHaveLength(1);
  });

  test('is known so for an algo order that is taken over, too', async () => {
    const scene = new Scene();
    scene.shown = undefined;
    scene.market.add(scene.reader, { since: START - 9_000, leastMs: 5_000 });
    const ending: (Gap | null)[] = [];
    scene.onChange = () => ending.push(scene.market.endingGap(scene.reader));
    scene.market.start();
    await eventually(() => expect(scene.streams).toHaveLength(1));
    scene.streams[0]?.pushTrades([trade(1, '97', 6)]);
    scene.streams[0]?.push(bookOf('97', START));
    await eventually(() => expect(ending.slice(0, 2)).toEqual([{ from: START - 9_000, to: START }, null]));
  });

  test('does not end with a book that is old', async () => {
    const scene = await Scene.begin();
    scene.pass(10_000);
    await scene.push('101', 6_000);
    expect(scene.gaps).toEqual([]);
  });

  test('is not among what was seen, though a book that is old was pushed after it', async () => {
    const scene = await Scene.begin();
    expect(scene.market.seenUntil).toBe(START);
    scene.pass(7_000);
    await scene.push('101', 6_000);
    expect(scene.market.seenUntil).toBe(START);
    await scene.push('102');
    expect(scene.market.seenUntil).toBe(START + 7_000);
    scene.streams[0]?.miss(START + 3_000, { isOpen: false });
    await eventually(() => expect(scene.market.seenUntil).toBe(START + 3_000));
  });

  test('ends with a new connection after a sleep, however short', async () => {
    const scene = await Scene.begin();
    scene.pass(10);
    scene.market.resynchronise();
    await eventually(() => expect(scene.gaps).toEqual([{ from: START, to: START + 10 }]));
  });
});

describe('after a sleep', () => {
  test('what was pushed meanwhile over the old connection is not used: the market connects and reads anew', async () => {
    const scene = await Scene.begin();
    scene.pass(6_500);
    scene.shown = bookOf('100', START + 6_500);
    scene.checkAwake = () => {
      scene.checkAwake = () => {};
      scene.market.resynchronise();
    };
    // dated by an exchange whose clock runs ahead, so that its date does not show how old it is
    scene.streams[0]?.push(bookOf('90', START + 60_000));
    const before = { id: '7', price: '90', amount: '1', side: 'sell', orderSide: null, time: START + 60_000 } as const;
    scene.streams[0]?.pushTrades([before]);
    await eventually(() => expect([scene.streams.length, scene.bid]).toEqual([2, '100']));
    const since = { ...before, id: '8', price: '101' };
    await scene.pushTrades([since]);
    await scene.push('101');
    expect([scene.bid, scene.traded]).toEqual(['101', [since]]);
  });

  test('the clock of the exchange does not go back, though nothing is known until the market is read', async () => {
    const scene = await Scene.begin();
    await scene.push('101', -60_000);
    expect(scene.market.now()).toBe(START + 60_000);
    scene.shown = undefined;
    scene.market.resynchronise();
    expect([scene.bid, scene.market.now()]).toEqual([undefined, START + 60_000]);
  });

  test('before the exchange has answered, a book shows the time, whatever the clock of this machine says', async () => {
    const scene = new Scene();
    [scene.ahead, scene.isTimeKnown] = [3_600_000, false];
    scene.market.start();
    await eventually(() => expect(scene.bid).toBe('100'));
    expect(scene.market.now()).toBe(START);
  });

  test('if the clock of this machine is set forward, only books show the time until the exchange has answered', async () => {
    const scene = await Scene.begin();
    scene.passed = 10_000;
    expect(scene.market.now()).toBe(START + 10_000);
    [scene.ahead, scene.isTimeKnown] = [3_600_000, false];
    expect(scene.market.now()).toBe(START + 10_000);
    scene.passed = 20_000;
    await scene.push('101');
    expect(scene.market.now()).toBe(START + 20_000);
    [scene.ahead, scene.isTimeKnown] = [0, true];
    scene.passed = 21_000;
    expect(scene.market.now()).toBe(START + 21_000);
  });
});
