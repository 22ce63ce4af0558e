import { renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { AccountInfo } from '../../../../src/domain/account.js';
import { Decimal } from '../../../../src/domain/decimal.js';
import type { ExchangeClient } from '../../../../src/exchange/exchange-client.js';
import type { ConnectionUser } from '../../../../src/exchange/stream/connection.js';
import { StreamClient } from '../../../../src/exchange/stream/stream-client.js';
import { AlgoStore } from '../../../../src/trading/algos/record/store.js';
import type { AlgoEvent } from '../../../../src/trading/algos/run/algo-voice.js';
import { AlgoRunner, type AlgoRunnerOptions } from '../../../../src/trading/algos/run/runner.js';
import { eventually } from '../../../support/eventually.js';
import { refused } from '../../../support/scripted-exchange.js';
import { STILL_MARKETS } from '../../../support/world/still-markets.js';
import { testWorld, type World } from '../../../support/world/world.js';
import { tradingOf } from '../../support/trading.js';
import { ID, NO_LIMITS, OneMarket } from '../support/at-work.js';
import { limit } from '../support/entries.js';
import { sell } from '../support/terms.js';

// The process that watches, with its algo orders, on an exchange of the test and on the clock of a world. The clocks of the process can be set.

let world: World;
beforeEach(async () => {
  world = await testWorld({ markets: STILL_MARKETS });
});

/** The time of the exchange. */
const marketNow = () => world.clock.now();

type Exits = Parameters<typeof sell>[1];

/** A connection that is not made: everything is read over HTTP. */
const NEVER = ({ ending }: ConnectionUser) => ({
  run: () => new Promise<void>((resolve) => ending.addEventListener('abort', () => resolve())),
  ...{ subscribe: () => {}, subscribeAgain: () => {}, unsubscribe: () => {}, latencyMs: null, unreadable: 0 },
});

class Watching {
  readonly exchange = new OneMarket();
  readonly events: AlgoEvent[] = [];
  readonly warnings: string[] = [];
  /** How often it has connected. */
  connections = 0;
  /** How far the clocks have been set ahead, in ms. */
  ahead = 0;
  isHalted = false;
  store!: AlgoStore;
  state = '';
  runner!: AlgoRunner;
  ended!: Promise<void>;
  /** What it has ended with; undefined if nothing failed. */
  failure: unknown;
  waitForCondition: AlgoRunnerOptions['waitForCondition'] = async () => {};

  /** @param prepare called before the process watches, with the record of an algo order that began ten seconds before */
  static async begin(exits: Exits = { stop: '98' }, prepare?: (made: Watching) => void): Promise<Watching> {
    const made = new Watching();
    made.exchange.marketNow = marketNow;
    Object.assign(made.exchange, { trades: async () => [] });
    made.showBid(100);
    made.#begin(exits, prepare);
    await eventually(() => expect(made.connections).toBe(1));
    return made;
  }

  #begin(exits: Exits, prepare?: (made: Watching) => void): void {
    const trading = tradingOf(this.exchange, { budgetMs: 3_000 });
    this.state = trading.state;
    const host = {
      ...trading.host,
      now: () => marketNow() + this.ahead,
      monotonic: () => world.clock.monotonic() + this.ahead,
      sleep: world.clock.sleep,
    };
    this.exchange.now = host.now;
    this.exchange.halt = async () =>
      this.isHalted ? { since: 0, until: null, reason: null, problem: null } : undefined;
    const context = { ...trading, host };
    this.store = new AlgoStore(host, this.state, 'test');
    const best = { bid: Decimal.of('100'), ask: Decimal.of('101') };
    const terms = { ...sell('1', exits), id: ID };
    this.store.create(() => ({ fact: 'began', time: marketNow() - 10_000, terms, ...best }), ID);
    prepare?.(this);
    this.runner = new AlgoRunner({
      ...{ host, store: this.store, open: async () => context, limits: async () => NO_LIMITS },
      follow: async (channels, choices) => {
        this.connections += 1;
        const clientOf = () => this.exchange as unknown as ExchangeClient;
        return new StreamClient({ ...choices, host, channels, clientOf, connection: NEVER, reads: 'polls' });
      },
      waitForCondition: this.waitForCondition,
      report: (event) => void this.events.push(event),
      warn: (text) => void this.warnings.push(text),
      ...{ other: () => {}, waitsForOther: false, isSeen: true, isAlone: false },
    });
    this.ended = this.runner.run().catch((thrown: unknown) => {
      this.failure = thrown;
    });
    onTestFinished(() => world.finish(Promise.all([this.runner.stop(), this.ended])).then(() => undefined));
  }

  /** The best bid is this, and the best ask one above. */
  showBid(bid: number): void {
    const [bids, asks] = [bid, bid + 1].map((price) => [{ price: String(price), amount: '5' }]);
    this.exchange.has.books = { btc_usdt: { bids: bids ?? [], asks: asks ?? [] } };
  }

  get names(): string[] {
    return this.events.map(({ event }) => event);
  }
}

test('the connection of a child is opened before its stop is reached', async () => {
  const opened: number[] = [];
  const watching = await Watching.begin();
  watching.exchange.prepareWrite = () => void opened.push(watching.exchange.count('order'));
  await eventually(() => expect(opened.length).toBeGreaterThan(0));
  watching.showBid(97);
  await eventually(() => expect(watching.exchange.has.orders).toHaveLength(1));
  expect(opened[0]).toBe(0);
});

test('a halt that was made elsewhere pauses every algo order, which is said, and a reached stop sends nothing', async () => {
  const watching = await Watching.begin();
  watching.isHalted = true;
  await eventually(() => expect(watching.names).toEqual(['paused']));
  expect(watching.store.read(ID)?.facts?.paused).toMatchObject({ cause: 'halt', role: null });
  watching.showBid(97);
  await eventually(() => expect(watching.names).toEqual(['paused', 'note']));
  expect(watching.exchange.has.orders).toEqual([]);
});

test('what another process has written is taken up: a pause, and that it goes on', async () => {
  const watching = await Watching.begin();
  const other = new AlgoStore({ now: marketNow, randomBytes: (size) => new Uint8Array(size) }, watching.state, 'test');
  await eventually(() => expect(other.notes.of(ID)?.state).toBe('waiting'));
  other.add(ID, { fact: 'paused', time: marketNow(), cause: 'user', reason: 'you paused it', role: null });
  await eventually(() => expect(watching.names).toEqual(['paused']));
  other.add(ID, { fact: 'resumed', time: marketNow() });
  await eventually(() => expect(watching.names).toEqual(['paused', 'resumed']));
});

test('a trail that another process followed a moment ago takes in what was traded until it is watched again', async () => {
  const watching = await Watching.begin({ trail: '2%' }, ({ store, exchange }) => {
    const time = marketNow() - 1_000;
    store.add(ID, { fact: 'best', time, price: Decimal.of('100'), tradeId: null });
    const [id, amount] = ['7', '1'];
    const trades = [{ id, amount, price: '110', time: time + 500, side: 'buy', orderSide: null }];
    Object.assign(exchange, { trades: async () => trades });
  });
  await eventually(() => expect(watching.store.read(ID)?.facts?.trailBest?.price.toString()).toBe('110'));
});

test.each([
  ['the moment between two watching processes', -1_000],
  ['the time since it began, if the clock was set back since another process watched', 3_600_000],
])('a stop that was reached and passed in %s is said to have been missed', async (_, seenAfterMs) => {
  const watching = await Watching.begin({ stop: '98' }, ({ store, exchange }) => {
    const seen = marketNow() + seenAfterMs;
    store.notes.write(ID, { state: 'waiting', reason: null, since: seen, seen, resumed: null });
    const [id, amount] = ['7', '1'];
    const trades = [{ id, amount, price: '97', time: marketNow() - 500, side: 'sell', orderSide: null }];
    Object.assign(exchange, { trades: async () => trades });
  });
  await eventually(() => expect(watching.events.map(({ text }) => text).join()).toContain('98 was reached (97)'));
});

test('the condition of an entry is waited for, and the entry is sent when it holds', async () => {
  const watching = await Watching.begin({ entry: limit('105'), when: ['last>1'] }, (made) => {
    made.waitForCondition = async (_, met) => met({ condition: 'last>1', late: false });
  });
  await eventually(() => expect(watching.exchange.has.orders).toMatchObject([{ price: '105' }]));
});

test('a stop that was rejected for its funds is sent for the coins that the account has', async () => {
  const watching = await Watching.begin({ stop: '98' }, ({ exchange }) => {
    exchange.outcomes.push(refused('insufficientFunds'));
    const coin = { coin: 'btc', available: '0.4', frozen: '0' };
    exchange.has.account = { coins: [coin] } as unknown as AccountInfo;
  });
  watching.showBid(97);
  await eventually(() => expect(watching.exchange.has.orders).toMatchObject([{ amount: '0.4' }]));
});

test('after a sleep it connects again, and reads the market before it acts', async () => {
  const watching = await Watching.begin();
  watching.ahead += 6_000;
  await eventually(() => expect(watching.connections).toBeGreaterThanOrEqual(2));
});

test('a process that is ended watches until what it has under way is over', async () => {
  const watching = await Watching.begin();
  let answer = () => {};
  const { onRequest } = watching.exchange;
  watching.exchange.onRequest = (request) => {
    if (request.kind !== 'order') return onRequest(request);
    return new Promise((resolve) => {
      answer = () => resolve(undefined);
    });
  };
  watching.showBid(97);
  await eventually(() => expect(watching.exchange.asked('order')).toHaveLength(1));
  const stopped = watching.runner.stop();
  await world.pass(1_000);
  expect(watching.store.watcher()?.pid).toBe(process.pid);
  answer();
  await world.finish(Promise.all([stopped, watching.ended]));
  expect(watching.store.watcher()).toBeUndefined();
});

test('a defect of pit ends the process with its error', async () => {
  const defect = new TypeError('a defect');
  const watching = await Watching.begin({ stop: '98' }, ({ store }) => {
    store.add = () => {
      throw defect;
    };
  });
  watching.showBid(97);
  await world.finish(watching.ended);
  expect(watching.failure).toBe(defect);
});

test('an algo order whose record is gone does nothing any more', async () => {
  const watching = await Watching.begin();
  await eventually(() => expect(watching.store.notes.of(ID)?.state).toBe('waiting'));
  rmSync(path.join(watching.state, 'algos', 'test', 'open', ID));
  await world.finish(watching.ended);
  expect([watching.exchange.has.orders, watching.store.watcher()]).toEqual([[], undefined]);
});

test('it says that nothing is watched if the folder of the records is moved away, and sends nothing', async () => {
  const watching = await Watching.begin();
  await eventually(() => expect(watching.store.notes.of(ID)?.state).toBe('waiting'));
  const folder = path.join(watching.state, 'algos');
  renameSync(folder, `${folder}.away`);
  await world.finish(watching.ended);
  expect(watching.failure).toMatchObject({ kind: 'usage', message: expect.stringMatching(/^NOT WATCHED: .*is gone/) });
  expect(watching.exchange.has.orders).toEqual([]);
});

test('it ends when nothing is left to do, which is dated between two books too, and another process may watch then', async () => {
  const watching = await Watching.begin();
  await eventually(() => expect(watching.store.watcher()?.pid).toBe(process.pid));
  const time = marketNow();
  watching.store.add(ID, { fact: 'cancelled', time, reason: 'you cancelled it' });
  await world.finish(watching.ended);
  expect(watching.store.read(ID)?.facts?.ended?.time).toBeGreaterThanOrEqual(time);
  expect([watching.names, watching.store.watcher()]).toEqual([['cancelled', 'ended'], undefined]);
  expect(watching.store.endedIds()).toEqual([ID]);
});
