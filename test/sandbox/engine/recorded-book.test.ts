import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Side } from '../../../src/domain/order.js';
import {
  type BookEvent,
  type BookOrder,
  emptyRecordedBook,
  OrderBook,
  type RecordedChanges,
} from '../../../src/sandbox/engine/book.js';

type Levels = readonly (readonly [price: number, lots: number])[];

interface Drawn {
  /** Best first. */
  readonly bids: Levels;
  readonly asks: Levels;
}

const EVENTS: ReadonlySet<string> = new Set(['met', 'traded', 'moved', 'rested', 'cancelled']);

/** A recorded book, drawn as levels of price and lots. Orders queue in it, unless it is made up around a price. */
class RecordedFixture {
  readonly book = new OrderBook<BookOrder>();
  readonly recording = emptyRecordedBook();
  #id = 0n;
  /** Lots that each order got, by its id. */
  readonly filled = new Map<bigint, bigint>();

  constructor(drawn: Drawn, { isMadeUp = false } = {}) {
    this.book.follow(this.recording);
    if (!isMadeUp) this.book.startQueue();
    this.shows(drawn);
  }

  /** A newer recorded book, made in this second. */
  shows(drawn: Drawn, second = 0): void {
    this.#settle(this.book.record(this.#changesTo(drawn), second * 1_000));
  }

  /** A newer recorded book, which is made when it is read. */
  willShow(drawn: Drawn): void {
    const best = (side: Side) => (side === 'buy' ? drawn.bids : drawn.asks).map(([price]) => BigInt(price))[0];
    this.book.recordLater({ changes: () => this.#changesTo(drawn), best });
  }

  #changesTo(drawn: Drawn): RecordedChanges {
    const side = (name: Side, levels: Levels) => {
      const gone = [...this.recording[name].lots.keys()].filter((price) => !levels.some(([p]) => BigInt(p) === price));
      const now = levels.map(([price, lots]) => [BigInt(price), BigInt(lots)] as const);
      return { levels: [...gone.map((price) => [price, 0n] as const), ...now], worst: now.at(-1)?.[0] ?? null };
    };
    return { buy: side('buy', drawn.bids), sell: side('sell', drawn.asks) };
  }

  trades(side: Side, lots: number, price: number, second = 0): void {
    this.#settle(this.book.passTrade(side, BigInt(price), BigInt(lots), second * 1_000));
  }

  order(side: Side, lots: number, price: number, type: 'limit' | 'ioc' = 'limit'): BookOrder {
    this.#id += 1n;
    const order = { id: this.#id, side, price: BigInt(price), remaining: BigInt(lots) };
    this.#settle(this.book.submit(order, type));
    return order;
  }

  filledOf({ id }: BookOrder): number {
    return Number(this.filled.get(id) ?? 0n);
  }

  get drawn(): Drawn {
    const side = (name: Side) =>
      [...this.book.levels(name)].map(({ price, amount }) => [Number(price), Number(amount)] as const);
    return { bids: side('buy'), asks: side('sell') };
  }

  #settle(events: readonly BookEvent<BookOrder>[]): void {
    const add = ({ id }: BookOrder, lots: bigint) => this.filled.set(id, (this.filled.get(id) ?? 0n) + lots);
    for (const event of events) {
      if (event.kind === 'met') add(event.order, event.amount);
      if (event.kind === 'traded') for (const order of [event.maker, event.taker]) add(order, event.amount);
      if (!EVENTS.has(event.kind)) throw new Error(`unknown event ${event}`);
      if ('amount' in event && event.amount <= 0n) throw new Error('a trade of nothing');
    }
  }
}

const BOOK: Drawn = {
  bids: [
    [100, 10],
    [99, 20],
    [97, 5],
  ],
  asks: [
    [102, 8],
    [103, 9],
  ],
};

describe('an order in a recorded book', () => {
  it('stands in the book beside the recorded levels', () => {
    const fixture = new RecordedFixture(BOOK);
    fixture.order('buy', 3, 100);
    fixture.order('buy', 4, 98);
    expect(fixture.drawn).toEqual({
      bids: [
        [100, 13],
        [99, 20],
        [98, 4],
        [97, 5],
      ],
      asks: [
        [102, 8],
        [103, 9],
      ],
    });
  });

  it('waits behind the lots that its price had, and is filled by what trades beyond them', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 100);
    fixture.trades('sell', 6, 100);
    expect(fixture.filledOf(order)).toBe(0);
    fixture.trades('sell', 6, 100);
    expect(fixture.filledOf(order)).toBe(2);
    fixture.trades('sell', 50, 100);
    expect(fixture.filledOf(order)).toBe(3);
  });

  it('shares what trades beyond those lots with a later order of its price, by time', () => {
    const fixture = new RecordedFixture(BOOK);
    const [first, second] = [fixture.order('buy', 1, 100), fixture.order('buy', 3, 100)];
    fixture.trades('sell', 12, 100);
    expect([first, second].map((order) => fixture.filledOf(order))).toEqual([1, 1]);
  });

  it('does not move when lots come or go behind it', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 100);
    fixture.shows({ ...BOOK, bids: [[100, 25]] });
    fixture.shows({ ...BOOK, bids: [[100, 12]] });
    fixture.trades('sell', 10, 100);
    expect(fixture.filledOf(order)).toBe(0);
    fixture.trades('sell', 1, 100);
    expect(fixture.filledOf(order)).toBe(1);
  });

  it('moves forward when its level has less than what stood before it', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 100);
    fixture.shows({ ...BOOK, bids: [[100, 4]] });
    fixture.shows({ ...BOOK, bids: [[100, 30]] }, 1);
    fixture.trades('sell', 6, 100, 2);
    expect(fixture.filledOf(order)).toBe(2);
  });

  it('does not move twice if the book showed a trade before the trade came', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 100);
    fixture.shows({ ...BOOK, bids: [[100, 4]] }, 5);
    fixture.trades('sell', 6, 100, 5);
    fixture.trades('sell', 4, 100, 6);
    expect(fixture.filledOf(order)).toBe(0);
    fixture.trades('sell', 1, 100, 6);
    expect(fixture.filledOf(order)).toBe(1);
  });

  it('takes a trade for what its level lost only if no later book had shown the loss, though more books came', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 100);
    for (const second of [1, 5]) fixture.shows({ ...BOOK, bids: [[100, 4]] }, second);
    fixture.trades('sell', 6, 100, 3);
    expect(fixture.filledOf(order)).toBe(2);
  });

  it('is filled by a trade beyond its price, whatever stood before it', () => {
    const fixture = new RecordedFixture(BOOK);
    const [high, low] = [fixture.order('buy', 3, 100), fixture.order('buy', 9, 99)];
    fixture.trades('sell', 5, 98);
    expect([fixture.filledOf(high), fixture.filledOf(low)]).toEqual([3, 2]);
  });

  it('is filled after orders of better prices and older ones of its price', () => {
    const fixture = new RecordedFixture(BOOK);
    const orders = [fixture.order('buy', 9, 99), fixture.order('buy', 3, 100), fixture.order('buy', 2, 100)];
    fixture.trades('sell', 4, 98);
    expect(orders.map((order) => fixture.filledOf(order))).toEqual([0, 3, 1]);
  });

  it('is not filled by a trade that does not reach its price, or of the other side', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 99);
    fixture.trades('sell', 500, 100);
    fixture.trades('buy', 500, 98);
    expect(fixture.filledOf(order)).toBe(0);
  });

  it('waits where nobody sees what stands before it, until a trade passes its price or the level is seen', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 90);
    fixture.trades('sell', 100, 90);
    expect(fixture.filledOf(order)).toBe(0);
    fixture.shows({
      ...BOOK,
      bids: [
        [91, 1],
        [90, 7],
      ],
    });
    fixture.trades('sell', 8, 90, 1);
    expect(fixture.filledOf(order)).toBe(1);
    const other = fixture.order('buy', 3, 80);
    fixture.trades('sell', 100, 79, 2);
    expect(fixture.filledOf(other)).toBe(3);
  });

  it('keeps its place while its level is out of sight', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 97);
    fixture.shows({
      ...BOOK,
      bids: [
        [101, 1],
        [100, 1],
      ],
    });
    fixture.trades('sell', 2, 97);
    fixture.shows({ ...BOOK, bids: [[97, 50]] }, 1);
    fixture.trades('sell', 4, 97, 2);
    expect(fixture.filledOf(order)).toBe(1);
  });

  it('trades with recorded lots that reach it, at its price', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 101);
    fixture.shows({
      bids: [[99, 20]],
      asks: [
        [100, 2],
        [101, 9],
      ],
    });
    expect(fixture.filledOf(order)).toBe(3);
    expect(fixture.drawn.asks).toEqual([[101, 8]]);
  });

  it('trades with nobody while the recorded book crosses itself', () => {
    const fixture = new RecordedFixture(BOOK);
    const order = fixture.order('buy', 3, 101);
    fixture.shows({ bids: [[101, 20]], asks: [[100, 2]] });
    expect(fixture.filledOf(order)).toBe(0);
  });

  it('takes recorded lots, best first, and they stay taken until their level is gone', () => {
    const fixture = new RecordedFixture(BOOK);
    const taker = fixture.order('buy', 10, 103, 'ioc');
    expect(fixture.filledOf(taker)).toBe(10);
    expect(fixture.drawn.asks).toEqual([[103, 7]]);
    expect(fixture.recording.sell.lots).toEqual(new Map([[103n, 7n]]));
    fixture.shows({
      ...BOOK,
      asks: [
        [102, 9],
        [103, 9],
      ],
    });
    expect(fixture.drawn.asks).toEqual([
      [102, 1],
      [103, 7],
    ]);
    fixture.shows({ ...BOOK, asks: [[103, 9]] });
    fixture.shows({
      ...BOOK,
      asks: [
        [102, 8],
        [103, 9],
      ],
    });
    expect(fixture.drawn.asks).toEqual([
      [102, 8],
      [103, 7],
    ]);
  });

  it('takes the lots before another order first, then that order, then those behind it', () => {
    const fixture = new RecordedFixture(BOOK);
    const maker = fixture.order('sell', 5, 102);
    fixture.shows({ ...BOOK, asks: [[102, 11]] });
    fixture.order('buy', 7, 102, 'ioc');
    expect(fixture.filledOf(maker)).toBe(0);
    fixture.order('buy', 3, 102, 'ioc');
    expect(fixture.filledOf(maker)).toBe(2);
    fixture.order('buy', 5, 102, 'ioc');
    expect(fixture.filledOf(maker)).toBe(5);
    expect(fixture.drawn.asks).toEqual([[102, 1]]);
  });
});

describe('an order in a book that is made up around a price', () => {
  const madeUp = (drawn = BOOK) => new RecordedFixture(drawn, { isMadeUp: true });

  it('fills at most what was traded: the levels shrink to what is left of it, and one lot shows the best price', () => {
    const fixture = madeUp();
    fixture.book.allow(5n);
    fixture.order('buy', 3, 102, 'ioc');
    expect(fixture.drawn).toEqual({ bids: [[100, 2]], asks: [[102, 2]] });
    fixture.order('buy', 2, 102, 'ioc');
    expect(fixture.drawn).toEqual({ bids: [[100, 1]], asks: [] });
  });

  it('fills at most what was traded, though several trades reach it', () => {
    const fixture = madeUp();
    fixture.book.allow(4n);
    const [one, other] = [fixture.order('sell', 3, 101), fixture.order('sell', 3, 101)];
    for (let trade = 0; trade < 3; trade += 1) fixture.trades('buy', 3, 101);
    expect([one, other].map((order) => fixture.filledOf(order))).toEqual([3, 1]);
  });

  it('gets back what it took, once more was traded', () => {
    const fixture = madeUp();
    fixture.order('buy', 8, 102, 'ioc');
    fixture.book.allow(20n);
    fixture.shows(BOOK);
    expect(fixture.drawn.asks).toEqual(BOOK.asks);
  });

  it.each<[string, Side, price: number, filled: number]>([
    ['of the other side at its price', 'sell', 101, 3],
    ['of its own side that has passed it', 'buy', 100, 3],
    ['of its own side at its price', 'buy', 101, 0],
    ['of its own side that was better', 'buy', 102, 0],
  ])('a buy at 101 meets a trade %s', (_, side, price, filled) => {
    const fixture = madeUp();
    const order = fixture.order('buy', 3, 101);
    fixture.trades(side, 9, price);
    expect(fixture.filledOf(order)).toBe(filled);
  });

  it('stands behind the lots that are recorded first at its price, once orders queue', () => {
    const fixture = madeUp();
    const order = fixture.order('sell', 5, 102);
    fixture.book.startQueue();
    fixture.order('buy', 4, 102, 'ioc');
    fixture.shows({ ...BOOK, asks: [[102, 11]] });
    fixture.trades('buy', 7, 102, 1);
    expect(fixture.filledOf(order)).toBe(0);
    fixture.trades('buy', 1, 102, 1);
    expect(fixture.filledOf(order)).toBe(1);
  });
});

it('a book that follows no recording has no recorded levels', () => {
  const book = new OrderBook<BookOrder>();
  const side = { levels: [[100n, 5n]] as const, worst: 100n };
  expect(book.record({ buy: side, sell: side }, 0)).toEqual([]);
  expect([...book.levels('buy'), ...book.levels('sell')]).toEqual([]);
});

it('orders that rest when a book begins to follow a recording are filled by its trades', () => {
  const book = new OrderBook<BookOrder>();
  const order = { id: 1n, side: 'buy', price: 100n, remaining: 3n } as const;
  book.submit({ ...order }, 'limit');
  book.follow(emptyRecordedBook());
  expect(book.hasQueued).toBe(true);
  const met = { kind: 'met', isTaker: false, price: 100n, amount: 2n };
  expect(book.passTrade('sell', 100n, 2n, 0)).toMatchObject([met, { kind: 'moved' }]);
});

it('a book that follows no recording has no lots to allow', () => {
  expect(() => new OrderBook<BookOrder>().allow(5n)).not.toThrow();
});

describe('levels that are recorded when they are read', () => {
  const NOTHING: Drawn = { bids: [], asks: [] };

  it('are shown alone and beside orders', () => {
    const fixture = new RecordedFixture(NOTHING, { isMadeUp: true });
    expect(fixture.book.hasQueued).toBe(false);
    fixture.willShow(BOOK);
    expect(fixture.drawn).toEqual(BOOK);
    fixture.order('buy', 2, 90);
    expect(fixture.book.hasQueued).toBe(true);
    const newer = { bids: [[95, 3]], asks: [[96, 4]] } as const;
    fixture.willShow(newer);
    expect(fixture.drawn).toEqual({ ...newer, bids: [...newer.bids, [90, 2]] });
  });

  it('lack what orders took of them before', () => {
    const fixture = new RecordedFixture(BOOK, { isMadeUp: true });
    fixture.order('buy', 8, 102, 'ioc');
    fixture.willShow(BOOK);
    expect(fixture.book.bestPrice('sell')).toBe(103n);
    expect(fixture.drawn.asks).toEqual([[103, 9]]);
  });

  it.each<[recorded: Levels, own: number | null, best: bigint | undefined]>([
    [[], null, undefined],
    [BOOK.bids, null, 100n],
    [[], 90, 90n],
    [BOOK.bids, 90, 100n],
    [BOOK.bids, 101, 101n],
  ])('with %j and an own order at %s, the best price is %s, without a look at them', (bids, own, best) => {
    const fixture = new RecordedFixture(NOTHING, { isMadeUp: true });
    if (own !== null) fixture.order('buy', 1, own);
    fixture.willShow({ bids, asks: [] });
    expect(fixture.book.bestPrice('buy')).toBe(best);
    expect(fixture.book.best('buy')?.price).toBe(best);
  });

  it.each<[string, (book: OrderBook<BookOrder>) => unknown, times: number]>([
    ['the best price', (book) => book.bestPrice('buy'), 0],
    ['the best level', (book) => book.best('buy'), 1],
    ['all levels', (book) => [...book.levels('buy')], 1],
  ])('to show %s again and again, are made at most once and not recorded', (_, look, times) => {
    const fixture = new RecordedFixture(NOTHING, { isMadeUp: true });
    let made = 0;
    const changes = () => {
      made += 1;
      return { buy: { levels: [[100n, 5n]] as const, worst: 100n }, sell: { levels: [], worst: null } };
    };
    fixture.book.recordLater({ changes, best: () => 100n });
    look(fixture.book);
    look(fixture.book);
    expect(made).toBe(times);
    expect(fixture.recording).toEqual(emptyRecordedBook());
    fixture.order('sell', 1, 200);
    expect(fixture.recording.buy.lots).toEqual(new Map([[100n, 5n]]));
  });
});

/** What happens to the queue of one price, of which a recording shows trades and amounts. */
type Step =
  | { readonly kind: 'joins'; readonly lots: number }
  | { readonly kind: 'leaves'; readonly which: number }
  | { readonly kind: 'trade'; readonly lots: number; readonly isShownFirst: boolean };

const lots = fc.integer({ min: 1, max: 9 });
const steps = (kinds: readonly fc.Arbitrary<Step>[]) =>
  fc.array(fc.record({ step: fc.oneof(...kinds), later: fc.boolean() }), { maxLength: 40 });
const joins = lots.map((n): Step => ({ kind: 'joins', lots: n }));
const leaves = fc.nat(20).map((which): Step => ({ kind: 'leaves', which }));
const tradeStep = fc.record({ lots, isShownFirst: fc.boolean() }).map((step): Step => ({ kind: 'trade', ...step }));

/** The true queue: orders with their lots in the order of their turn; ours has no lots of its own, so that it changes nothing. */
function play(
  before: readonly number[],
  size: number,
  played: readonly { readonly step: Step; readonly later: boolean }[],
) {
  const queue: { lots: number; isBefore: boolean }[] = before.map((n) => ({ lots: n, isBefore: true }));
  const shown = () => {
    const total = queue.reduce((sum, order) => sum + order.lots, 0);
    return { bids: [...(total > 0 ? [[100, total] as const] : []), [50, 1] as const], asks: [] };
  };
  const fixture = new RecordedFixture(shown());
  const order = fixture.order('buy', size, 100);
  let [second, truly] = [0, 0];
  const states: {
    readonly filled: number;
    readonly truly: number;
    readonly ahead: number;
    readonly trulyAhead: number;
  }[] = [];
  for (const { step, later } of played) {
    if (later) second += 1;
    if (step.kind === 'joins') queue.push({ lots: step.lots, isBefore: false });
    else if (step.kind === 'leaves') queue.splice(step.which, 1);
    else {
      let rest = step.lots;
      const ahead = queue.filter(({ isBefore }) => isBefore).reduce((sum, one) => sum + one.lots, 0);
      truly = Math.min(size, truly + Math.max(0, rest - ahead));
      for (const one of queue) {
        const taken = Math.min(rest, one.lots);
        one.lots -= taken;
        rest -= taken;
      }
      if (step.isShownFirst) fixture.shows(shown(), second);
      fixture.trades('sell', step.lots, 100, second);
    }
    fixture.shows(shown(), second);
    const trulyAhead = queue.filter(({ isBefore }) => isBefore).reduce((sum, one) => sum + one.lots, 0);
    states.push({ filled: fixture.filledOf(order), truly, ahead: Number(order.queue?.ahead ?? 0n), trulyAhead });
  }
  return states;
}

describe('the place in the queue', () => {
  const setup = { before: fc.array(lots, { maxLength: 5 }), size: fc.integer({ min: 1, max: 20 }) };

  it('is never better than the true one, and an order never gets more than it would have got, whatever joins, leaves and trades', () => {
    const property = fc.property(
      fc.record({ ...setup, played: steps([joins, leaves, tradeStep]) }),
      ({ before, size, played }) => {
        const tooMuch = play(before, size, played).filter(
          ({ filled, truly, ahead, trulyAhead }) => filled > truly || (filled < size && ahead < trulyAhead),
        );
        expect(tooMuch).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: 2_000 });
  });

  it('is the true one if nothing leaves and trades come before the books that show them', () => {
    const inOrder = tradeStep.map(
      (step): Step => ({ ...(step as Extract<Step, { kind: 'trade' }>), isShownFirst: false }),
    );
    const property = fc.property(
      fc.record({ ...setup, played: steps([joins, inOrder]) }),
      ({ before, size, played }) => {
        expect(play(before, size, played).filter(({ filled, truly }) => filled !== truly)).toEqual([]);
      },
    );
    fc.assert(property, { numRuns: 500 });
  });

  it('never fills more than was traded or shown on the other side, and the book is the recorded one beside the open orders', () => {
    const level = fc.tuple(fc.integer({ min: 90, max: 110 }), lots);
    const drawn = fc
      .record({ bids: fc.array(level, { maxLength: 4 }), asks: fc.array(level, { maxLength: 4 }) })
      .map(sorted);
    const side = fc.constantFrom<Side>('buy', 'sell');
    const actions = fc.array(
      fc.oneof(
        fc.record({ kind: fc.constant('shows' as const), drawn }),
        fc.record({ kind: fc.constant('trades' as const), side, lots, price: fc.integer({ min: 90, max: 110 }) }),
        fc.record({ kind: fc.constant('order' as const), side, lots, price: fc.integer({ min: 90, max: 110 }) }),
        fc.record({ kind: fc.constant('cancels' as const), which: fc.nat(10) }),
      ),
      { maxLength: 30 },
    );
    const property = fc.property(drawn, actions, (first, all) => {
      const fixture = new RecordedFixture(first);
      const orders: BookOrder[] = [];
      for (const action of all) {
        const filled = () => [...fixture.filled.values()].reduce((sum, n) => sum + n, 0n);
        const before = filled();
        if (action.kind === 'order') orders.push(fixture.order(action.side, action.lots, action.price));
        else if (action.kind === 'shows') fixture.shows(action.drawn);
        else if (action.kind === 'cancels') {
          const order = orders[action.which];
          if (order !== undefined) fixture.book.cancel(order);
        } else {
          fixture.trades(action.side, action.lots, action.price);
          expect(filled() - before).toBeLessThanOrEqual(BigInt(action.lots));
        }
        const wrong = (['buy', 'sell'] as const).flatMap((name) =>
          [...fixture.book.levels(name)].filter(({ amount, recorded, orders: resting }) => {
            const own = [...resting.values()].reduce((sum, { remaining }) => sum + remaining, 0n);
            return amount !== own + recorded || amount <= 0n;
          }),
        );
        expect(wrong).toEqual([]);
      }
      expect(orders.filter(({ remaining }) => remaining < 0n)).toEqual([]);
    });
    fc.assert(property, { numRuns: 500 });
  });
});

/** One level for each price, in the order of a book that does not cross itself. */
function sorted({ bids, asks }: Drawn): Drawn {
  const distinct = (levels: Levels) => [...new Map(levels.map((level) => [level[0], level])).values()];
  const [b, a] = [distinct(bids).sort((x, y) => y[0] - x[0]), distinct(asks).sort((x, y) => x[0] - y[0])];
  return { bids: b.map(([price, n]) => [price - 11, n]), asks: a.map(([price, n]) => [price + 11, n]) };
}
