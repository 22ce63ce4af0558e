import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Trade } from '../../../src/domain/market-data.js';
import { Failure } from '../../../src/errors.js';
import type { Channel, Exchange, ExchangeStream, StreamEvent } from '../../../src/exchange/exchange.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import type { Condition } from '../../../src/trading/alerts/condition.js';
import type { Operator } from '../../../src/trading/alerts/crossing.js';
import type { Field } from '../../../src/trading/alerts/fields.js';
import { findAlerts } from '../../../src/trading/alerts/find-alerts.js';

const market = 'btc_usdt';
const NOW = 1_700_000_000_000;
const MINUTE = 60_000;

function when(field: Field, operator: Operator, level: string): Condition {
  return { kind: 'threshold', text: `${field}${operator}${level}`, field, operator, level: Decimal.of(level) };
}
const FILL = { kind: 'fill', text: 'fill', order: null, isWhole: false } as const;
const fillOf = (id: string) => ({ kind: 'fill', text: `fill:${id}`, order: { id }, isWhole: false }) as const;
const filledOf = (id: string) => ({ kind: 'fill', text: `filled:${id}`, order: { id }, isWhole: true }) as const;

const ticker = (values: object = {}) => ({
  ...{ time: NOW, bid: '999', ask: '1001', last: '990', open: '1', high: '1', low: '1', change: '1', volume: '5' },
  ...values,
});
const trade = (id: number, price: string, time = NOW): Trade => ({
  id: String(id),
  time,
  side: 'buy',
  orderSide: null,
  price,
  amount: '1',
});
const order = (id: string, filled: string, state = 'open', time: number | null = null) => ({
  ...{ id, filled, state, market, side: 'buy', price: '1', amount: '5' },
  lastTrade: time === null ? null : { time },
});

/** A data event; over HTTP if it says since when nothing was known. */
function event(channel: Channel, data: unknown, since?: number): StreamEvent {
  const source = since === undefined ? 'push' : 'http';
  const rest = { time: null, received: NOW, source, since: since ?? null, scope: 'delta', skipped: 0, raw: null };
  return { type: 'data', channel, data, ...rest } as unknown as StreamEvent;
}
const ofTicker = (values: object) => event({ kind: 'ticker', market }, ticker(values));
const ofTrades = (trades: readonly Trade[], since?: number) => event({ kind: 'trades', market }, trades, since);
const ofOrders = (orders: readonly object[], since?: number) => event({ kind: 'orders', market }, orders, since);
const startedOver: StreamEvent = {
  ...{ type: 'gap', channel: { kind: 'trades', market }, received: NOW, reason: 'the exchange has started over' },
  ...{ gap: { from: NOW, to: NOW, resynchronised: false, permanent: true }, hasStartedOver: true },
};
const lost = (channel: Channel): StreamEvent => ({
  ...{ type: 'gap', channel, received: NOW, reason: 'too many were missed' },
  gap: { from: NOW - MINUTE, to: NOW, resynchronised: false, permanent: true },
});

interface Script {
  readonly conditions: readonly Condition[];
  readonly events?: readonly StreamEvent[];
  readonly isRepeated?: boolean;
  readonly client?: object;
  /** The id of the newest trade of the feed. */
  readonly newest?: string;
  /** Called with each wait for the end of a candle; without it, that never comes. */
  readonly sleep?: (ms: number) => Promise<void>;
}

/** What is found in these events: `last>1000 1001` with ` late` after it, and the warnings. */
async function found({ conditions, events = [], isRepeated = true, client = {}, newest, sleep }: Script) {
  const found: string[] = [];
  const times: number[] = [];
  const warnings: string[] = [];
  const followed: Channel[] = [];
  const exchange = {
    ...{ now: () => NOW, marketNow: () => NOW, ticker: async () => ticker(), orders: async () => ({}) },
    trades: async () => [trade(10, '990')],
    ...client,
  } as unknown as Exchange;
  const stream = {
    async *[Symbol.asyncIterator]() {
      yield* events;
    },
    of: () => (newest === undefined ? undefined : { value: [{ id: newest }] }),
    close: async () => undefined,
  } as unknown as ExchangeStream;
  const source = {
    ...{ market, conditions, isRepeated, client: exchange, budget: new TimeBudget(1_000, () => 0) },
    follow: async (channels: readonly Channel[]) => {
      followed.push(...channels);
      return stream;
    },
    warn: (message: string) => warnings.push(message),
    sleep: sleep ?? (() => new Promise<void>(() => undefined)),
  };
  for await (const alert of findAlerts(source)) {
    found.push(`${alert.condition.text} ${alert.value}${alert.late ? ' late' : ''}`);
    times.push(alert.time);
    if (!isRepeated) break;
  }
  return { found, times, warnings, channels: followed, followed: followed.map(({ kind }) => kind) };
}

describe('alerts on numbers', () => {
  it('of the first condition that holds already end before anything is followed', async () => {
    const conditions = [when('last', '>', '1000'), when('bid', '>', '998'), when('ask', '>', '1')];
    expect(await found({ conditions, isRepeated: false })).toMatchObject({ found: ['bid>998 999'], followed: [] });
  });

  it('come from the ticker, each as often as it crosses its level', async () => {
    const conditions = [when('bid', '>', '1000'), when('change', '<', '-5'), when('volume', '>=', '6')];
    const events = [{ bid: '1002' }, { bid: '1001.5', volume: '6' }, { bid: '990', change: '-6' }, { bid: '1003' }].map(
      ofTicker,
    );
    const all = await found({ conditions, events });
    expect(all.found).toEqual(['bid>1000 1002', 'volume>=6 6', 'change<-5 -6', 'bid>1000 1003']);
    expect(all.followed).toEqual(['ticker']);
  });

  it('on the spread have a share of the middle in percent, and none while the book is crossed or empty', async () => {
    const events = [{ bid: '1002', ask: '1001' }, { bid: null }, { bid: '990', ask: '1010' }].map(ofTicker);
    const all = await found({ conditions: [when('spread', '>', '1.5'), when('spread', '<', '0')], events });
    expect(all.found).toEqual(['spread>1.5 2']);
  });

  it('on the last price come from every trade in the order of the ids, whatever order they come in', async () => {
    const trades = [trade(12, '1002'), trade(13, '999'), trade(11, '998')];
    const events = [ofTrades([trade(9, '2000'), trade(10, '990')], NOW), ofTrades(trades), ofTicker({ last: '5000' })];
    const all = await found({ conditions: [when('last', '>', '1000')], events });
    expect(all).toMatchObject({ found: ['last>1000 1002'], followed: ['trades'] });
  });

  it('are late if they were found by reading what was missed for more than ten seconds, or are older themselves', async () => {
    const past = NOW - 20_000;
    const rise = [trade(11, '1002', NOW - 1_000), trade(12, '990')];
    const of = async (event: StreamEvent) =>
      (await found({ conditions: [when('last', '>', '1000')], events: [ofTrades([trade(10, '990')], NOW), event] }))
        .found;
    expect(await of(ofTrades(rise, past))).toEqual(['last>1000 1002 late']);
    expect(await of(ofTrades(rise, NOW - 5_000))).toEqual(['last>1000 1002']);
    expect(await of(ofTrades([trade(11, '1002', past)]))).toEqual(['last>1000 1002 late']);
  });
});

describe('what was before the command', () => {
  const conditions = [when('last', '>', '1000')];
  const list = [trade(8, '1002'), trade(9, '1005'), trade(10, '990')];
  const client = { trades: async () => list };

  it.each([false, true])(
    'does not hold by the first list of trades, whether alerts repeat (%s) or not',
    async (isRepeated) => {
      const before = [trade(7, '1010'), ...list];
      expect((await found({ conditions, client, isRepeated, events: [ofTrades(before, NOW)] })).found).toEqual([]);
      const events = [ofTrades(before, NOW), ofTrades([trade(6, '1010'), trade(11, '1001')])];
      expect((await found({ conditions, client, isRepeated, events })).found).toEqual(['last>1000 1001']);
    },
  );

  it.each([false, true])(
    'does not hold by candles that began before it, whether alerts repeat (%s) or not',
    async (isRepeated) => {
      const first = trade(10, '990', NOW - 10 * MINUTE);
      const candle = (minutes: number, high: string) => ({
        time: NOW - minutes * MINUTE,
        low: '980',
        high,
        close: '990',
      });
      const before = { ...candle(11, '1010'), time: first.time - 1 };
      const read = (candles: object[]) =>
        found({
          ...{ conditions, isRepeated, events: [ofTrades([trade(70, '990')], NOW)] },
          client: { trades: async () => [first], candles: async () => ({ candles, failure: null }) },
        });
      expect((await read([candle(12, '1020'), before, candle(10, '1010')])).found).toEqual([]);
      expect((await read([before, candle(9, '1003')])).found).toEqual(['last>1000 1003 late']);
    },
  );

  it('does not hold by a ticker that is older than the one at the start', async () => {
    const events = [{ bid: '1002', time: NOW - 1_000 }, { bid: '999' }, { bid: '1001', time: NOW + 1 }].map(ofTicker);
    const one = await found({ conditions: [when('bid', '>', '1000')], events, isRepeated: false });
    expect(one.found).toEqual(['bid>1000 1001']);
  });

  it('is nothing at all in a market without trades, where every one that comes counts', async () => {
    const none = { trades: async () => [] };
    const events = [ofTrades([], NOW), ofTrades([trade(1, '1002'), trade(2, '990')])];
    expect((await found({ conditions, client: none, isRepeated: false, events })).found).toEqual(['last>1000 1002']);
  });
});

describe('an exchange that has started over', () => {
  it('ends the alerts: what was seen says nothing of its prices', async () => {
    const events = [ofTrades([trade(10, '990')], NOW), startedOver, ofTrades([trade(3, '1200')], NOW)];
    await expect(found({ conditions: [when('last', '>', '1000')], events })).rejects.toMatchObject({
      kind: 'unreachable',
      message: expect.stringContaining('The exchange has started over'),
    });
  });
});

describe('where trades are missing for good', () => {
  const conditions = [when('last', '>', '1000'), when('last', '<', '980')];
  const first = trade(10, '990', NOW - 10 * MINUTE);
  const start = ofTrades([first], NOW);
  const candle = (minutes: number, low: string, high: string, close: string) => ({
    ...{ time: NOW - minutes * MINUTE, open: '990', low, high, close, volume: '1', closed: true },
  });
  const gap = lost({ kind: 'trades', market });

  it('candles show what crossed its level, and the trades that they cover are not counted again', async () => {
    const ranges: object[] = [];
    const candles = async (range: object) => {
      ranges.push(range);
      return { candles: [candle(9, '985', '995', '990'), candle(8, '975', '1005', '990')], failure: null };
    };
    const covered = ofTrades([trade(11, '1004'), trade(12, '990')], NOW - 10 * MINUTE);
    const events = [start, gap, covered, ofTrades([trade(13, '1003')])];
    const client = { candles, trades: async () => [first] };
    const all = await found({ conditions, events, client, newest: '12' });
    expect(all.found).toEqual(['last>1000 1005 late', 'last<980 975 late', 'last>1000 1003']);
    expect(all.times[0]).toBe(NOW - 8 * MINUTE);
    expect(ranges).toMatchObject([{ market, type: '1min' }]);
  });

  it('candles show what happened before the channel began, if its first trades do not reach back', async () => {
    const candles = async () => ({ candles: [candle(8, '985', '1005', '990')], failure: null });
    const events = [ofTrades([trade(70, '990'), trade(71, '991')], NOW), ofTrades([trade(72, '970')])];
    const all = await found({ conditions, events, client: { candles, trades: async () => [first] } });
    expect(all.found).toEqual(['last>1000 1005 late', 'last<980 970']);
  });

  it('the candles are longer if the gap is', async () => {
    const types: unknown[] = [];
    const candles = async ({ type }: { readonly type: string }) => {
      types.push(type);
      return { candles: [], failure: null };
    };
    const trades = async () => [trade(10, '990', NOW - 20 * 60 * MINUTE)];
    await found({ conditions, events: [start, gap], client: { candles, trades } });
    expect(types).toEqual(['3min']);
  });

  it('a warning says so if there are no candles either', async () => {
    const candles = async () => Promise.reject(new Failure('unreachable', 'no answer'));
    const client = { candles, trades: async () => [first] };
    const { warnings, found: none } = await found({ conditions, events: [start, gap], client });
    const since = 'The prices of btc_usdt since 2023-11-14T22:03:20.000Z could not be read';
    expect([none, warnings]).toEqual([[], [`${since}, so a crossing may be missing: no answer`]]);
  });
});

describe('alerts on the day', () => {
  it('come when the highest or lowest price of the day crosses a level', async () => {
    const conditions = [when('high', '>', '1000'), when('low', '<', '980')];
    const events = [
      { high: '999', low: '985' },
      { high: '1001', low: '985' },
      { high: '1001', low: '979' },
    ].map(ofTicker);
    const first = { client: { ticker: async () => ticker({ high: '999', low: '985' }) } };
    expect((await found({ conditions, events, ...first })).found).toEqual(['high>1000 1001', 'low<980 979']);
  });
});

describe('alerts in other markets', () => {
  const eth = 'eth_usdt';
  const inEth: Condition = { ...when('last', '>', '2000'), market: eth, text: `${eth}:last>2000` };

  it('follow each market, and count its own trades only', async () => {
    const client = { trades: async (of: string) => (of === eth ? [trade(5, '1990')] : [trade(10, '990')]) };
    const ofEth = (trades: readonly Trade[], since?: number) => event({ kind: 'trades', market: eth }, trades, since);
    const events = [
      ofTrades([trade(10, '990')], NOW),
      ofEth([trade(5, '1990')], NOW),
      ofTrades([trade(11, '2500')]),
      ofEth([trade(6, '1995')]),
      ofEth([trade(7, '2001')]),
    ];
    const all = await found({ conditions: [when('last', '>', '3000'), inEth], client, events });
    expect(all.found).toEqual(['eth_usdt:last>2000 2001']);
    expect(all.channels).toEqual([market, eth].map((one) => ({ kind: 'trades', market: one })));
  });

  it('that hold already end before anything is followed', async () => {
    const client = { trades: async (of: string) => [trade(5, of === eth ? '2001' : '990')] };
    const all = await found({ conditions: [when('last', '>', '3000'), inEth], client, isRepeated: false });
    expect([all.found, all.followed]).toEqual([['eth_usdt:last>2000 2001'], []]);
  });
});

describe('alerts on a trail', () => {
  const trail = (operator: Operator, level: string): Condition => ({
    ...{ kind: 'trail', text: `trail${operator}${level}%`, operator },
    level: Decimal.of(level),
  });
  const prices = (first: number, ...all: string[]) => all.map((price, index) => trade(first + index, price));
  const of = async (condition: Condition, ...all: string[]) =>
    (
      await found({
        conditions: [condition],
        events: [ofTrades([trade(10, '990')], NOW), ofTrades(prices(11, ...all))],
      })
    ).found;

  it('come when the price has fallen that far from its highest since the start', async () => {
    expect(await of(trail('<', '-2'), '1000', '981', '980', '979.9')).toEqual(['trail<-2% -2.01']);
    expect(await of(trail('<=', '-2'), '1000', '981', '980')).toEqual(['trail<=-2% -2']);
    expect(await of(trail('>', '2'), '980', '999', '1000')).toEqual(['trail>2% 2.040816']);
  });

  it('begin again where they were reached', async () => {
    expect(await of(trail('<=', '-10'), '1000', '900', '891', '810', '820', '738')).toEqual([
      'trail<=-10% -10',
      'trail<=-10% -10',
      'trail<=-10% -10',
    ]);
  });

  it('count no price of before the start as the best one', async () => {
    const client = { trades: async () => [trade(9, '2000'), trade(10, '990')] };
    const events = [ofTrades([trade(9, '2000'), trade(10, '990')], NOW), ofTrades(prices(11, '989', '980', '970'))];
    expect((await found({ conditions: [trail('<', '-2')], client, events })).found).toEqual(['trail<-2% -2.020202']);
  });

  it('take trades that come too late into account as far as their place in the order is certain', async () => {
    const late = (...events: StreamEvent[]) =>
      found({ conditions: [trail('<=', '-2')], events: [ofTrades([trade(10, '990')], NOW), ...events] });
    // a better price between two that were seen: what came last is far enough from it
    expect((await late(ofTrades([trade(12, '981')]), ofTrades([trade(11, '1002')]))).found).toEqual([
      'trail<=-2% -2.095808',
    ]);
    // a low that came before the best price
    expect((await late(ofTrades([trade(12, '1000')]), ofTrades([trade(11, '970.3')]))).found).toEqual([]);
    // a low that came after it
    expect(
      (await late(ofTrades([trade(11, '1000')]), ofTrades([trade(13, '999')]), ofTrades([trade(12, '979')]))).found,
    ).toEqual(['trail<=-2% -2.1']);
  });

  it('are found late in candles, where only what is certain counts', async () => {
    const first = trade(10, '1000', NOW - 10 * MINUTE);
    const candle = (minutes: number, low: string, high: string, close: string) => ({
      ...{ time: NOW - minutes * MINUTE, open: '990', low, high, close, volume: '1', closed: true },
    });
    const alertsIn = async (...candles: object[]) => {
      const client = { candles: async () => ({ candles, failure: null }), trades: async () => [first] };
      const events = [ofTrades([first], NOW), lost({ kind: 'trades', market })];
      return (await found({ conditions: [trail('<', '-2')], events, client, newest: '12' })).found;
    };
    // the low came after the price at the start
    expect(await alertsIn(candle(9, '979', '1001', '1000'))).toEqual(['trail<-2% -2.1 late']);
    // high and low of one candle: which came first is unknown
    expect(await alertsIn(candle(9, '981', '1010', '1000'))).toEqual([]);
    // but its last price came after both
    expect(await alertsIn(candle(9, '981', '1010', '989'))).toEqual(['trail<-2% -2.079207 late']);
    // a candle in which the alert began may have been high before
    expect(await alertsIn(candle(10, '970', '1100', '999'))).toEqual([]);
  });

  it('report what a plain reading of the rule reports, whatever the price does', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 950, max: 1050 }), { minLength: 1, maxLength: 40 }), async (all) => {
        let best = 990;
        const expected = all.flatMap((price) => {
          best = Math.max(best, price);
          if (price * 100 > best * 98) return [];
          best = price;
          return [price];
        });
        const reported = await of(trail('<=', '-2'), ...all.map(String));
        expect(reported).toHaveLength(expected.length);
      }),
    );
  });
});

describe('alerts on closed candles', () => {
  const QUARTER = 15 * MINUTE;
  const start = NOW - (NOW % QUARTER);
  const closing = (operator: Operator, level: string): Condition => ({
    ...{ kind: 'close', text: `close:15min${operator}${level}`, candles: '15min', operator },
    level: Decimal.of(level),
  });
  const candle = (index: number, close: string, closed = true) => ({
    ...{ time: start + index * QUARTER, open: '1', high: '5000', low: '1', close, volume: '1', closed },
  });

  /** What is found while the clock moves from the end of one candle to the next; `lists` are what the exchange answers then. */
  async function closes(condition: Condition, lists: readonly (readonly object[] | Failure)[], isRepeated = true) {
    let now = start + MINUTE;
    let reads = 0;
    const waits: number[] = [];
    const since: (number | undefined)[] = [];
    const client = {
      marketNow: () => now,
      candles: async (range: { since?: (now: number) => number }) => {
        const list = lists[reads] ?? [];
        reads += 1;
        since.push(range.since?.(now));
        if (list instanceof Failure) throw list;
        const from = range.since?.(now) ?? 0;
        return { candles: list.filter((one) => (one as { time: number }).time >= from), failure: null };
      },
    };
    const sleep = async (ms: number) => {
      if (reads >= lists.length) return new Promise<void>(() => undefined);
      waits.push(ms);
      now += ms;
    };
    // the stream goes on until all lists were read
    const pause = () => new Promise<void>((resolve) => setImmediate(resolve));
    const next = async () => {
      while (reads < lists.length) await pause();
      for (let turn = 0; turn < 20; turn += 1) await pause();
      return { done: true, value: undefined };
    };
    const events = { [Symbol.asyncIterator]: () => ({ next }) } as unknown as readonly StreamEvent[];
    const all = await found({ conditions: [condition], client, sleep, events, isRepeated });
    return { ...all, waits, since };
  }

  const before = [candle(-1, '1500'), candle(0, '990', false)];

  it('come when a candle has closed beyond the level, not for its high, and not for those of before', async () => {
    const {
      found: all,
      times,
      followed,
      since,
    } = await closes(
      closing('>', '1000'),
      [
        before,
        [...before.slice(0, 1), candle(0, '999'), candle(1, '1500', false)],
        [candle(1, '1001'), candle(2, '1', false)],
      ],
      false,
    );
    expect([all, times]).toEqual([['close:15min>1000 1001'], [start + 2 * QUARTER]]);
    expect(followed).toEqual(['ticker']);
    expect(since).toEqual([undefined, candle(-1, '').time + 1, candle(0, '').time + 1]);
  });

  it('with --repeat count once, and again after a candle closed back', async () => {
    const lists = [before, ...['1001', '1002', '990', '1003'].map((close, index) => [candle(index, close)])];
    expect((await closes(closing('>', '1000'), lists)).found).toEqual(['close:15min>1000 1003']);
    const below = [[candle(-1, '900'), candle(0, '1', false)], ...lists.slice(1)];
    expect((await closes(closing('>', '1000'), below)).found).toEqual([
      'close:15min>1000 1001',
      'close:15min>1000 1003',
    ]);
  });

  it('read again soon if the candle is not closed yet, or could not be read, which a warning says once', async () => {
    const failure = new Failure('unreachable', 'no answer');
    const lists = [before, [candle(0, '999', false)], failure, failure, [candle(0, '1001')]];
    const { found: all, waits, warnings } = await closes(closing('>', '1000'), lists, false);
    expect([all, waits.slice(-3)]).toEqual([['close:15min>1000 1001 late'], [5_000, 5_000, 5_000]]);
    expect(warnings).toEqual(['The 15min candles of btc_usdt could not be read; pit tries again: no answer']);
  });

  it('are all found in their order after a sleep of the machine', async () => {
    const lists = [
      before,
      [candle(0, '999'), candle(1, '1001'), candle(2, '990'), candle(3, '1002'), candle(4, '1', false)],
    ];
    expect((await closes(closing('>=', '1001'), lists)).found).toEqual([
      'close:15min>=1001 1001',
      'close:15min>=1001 1002',
    ]);
  });
});

describe('alerts on fills', () => {
  const start = ofOrders([order('1', '2'), order('2', '0')]);

  it('come each time when more of an order is filled, also of one that was placed since', async () => {
    const events = [
      start,
      ofOrders([order('1', '2')]),
      ofOrders([order('3', '0')]),
      ofOrders([order('2', '1'), order('3', '5', 'filled', NOW - 5)]),
    ];
    const all = await found({ conditions: [FILL], events });
    expect(all).toMatchObject({ found: ['fill 1', 'fill 5'], times: [NOW, NOW - 5], followed: ['orders'] });
  });

  it('are late after a cut', async () => {
    const events = [start, ofOrders([order('1', '5', 'filled'), order('9', '5', 'filled')], NOW - 60_000)];
    expect((await found({ conditions: [FILL], events })).found).toEqual(['fill 5 late', 'fill 5 late']);
  });

  it('of one order leave out others, and end once it can be filled no more', async () => {
    const client = { getOrder: async () => order('2', '0') };
    const events = [
      start,
      ofOrders([order('1', '3'), order('2', '1')]),
      ofOrders([order('2', '1', 'cancelled')]),
      ofOrders([order('2', '5')]),
    ];
    expect((await found({ conditions: [fillOf('2')], events, client })).found).toEqual(['fill:2 1']);
  });

  it('hold at once for an order that is filled already, unless each fill is wanted', async () => {
    const client = { getOrder: async () => order('2', '1.0') };
    expect((await found({ conditions: [fillOf('2')], isRepeated: false, client })).found).toEqual(['fill:2 1.0']);
    const ended = { getOrder: async () => order('2', '5', 'filled') };
    expect((await found({ conditions: [fillOf('2')], client: ended })).found).toEqual([]);
  });

  it('of the whole order hold once, when nothing of it is left', async () => {
    const client = { getOrder: async () => order('2', '0') };
    const events = [[order('2', '3')], [order('2', '5', 'filled')], [order('2', '5', 'filled')]].map((rows) =>
      ofOrders(rows),
    );
    expect((await found({ conditions: [filledOf('2')], events, client })).found).toEqual(['filled:2 5']);
    const part = { getOrder: async () => order('2', '3') };
    const cancelled = [ofOrders([order('2', '4', 'cancelled')]), ofOrders([order('2', '5', 'filled')])];
    const one = { conditions: [filledOf('2')], isRepeated: false };
    expect((await found({ ...one, client: part, events: cancelled })).found).toEqual([]);
    const ended = { getOrder: async () => order('2', '5', 'filled') };
    expect((await found({ ...one, client: ended })).found).toEqual(['filled:2 5']);
  });

  it('of orders that are named follow those from the start, whatever state they are in', async () => {
    const client = { getOrder: async () => order('2', '0') };
    const { found: all, channels } = await found({
      ...{ conditions: [fillOf('2')], client },
      events: [ofOrders([order('1', '2'), order('2', '5', 'filled')])],
    });
    expect(all).toEqual(['fill:2 5']);
    expect(channels).toEqual([{ kind: 'orders', market, orders: [{ id: '2' }] }]);
    expect((await found({ conditions: [fillOf('2'), FILL], client })).channels).toEqual([{ kind: 'orders', market }]);
  });

  it('may be missing if the exchange does not list all orders, and a warning says so', async () => {
    const { warnings } = await found({ conditions: [FILL], events: [lost({ kind: 'orders', market })] });
    expect(warnings).toEqual(['Not all of orders:btc_usdt can be followed: too many were missed.']);
  });
});
