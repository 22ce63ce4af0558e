import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { Decimal } from '../../../src/domain/decimal.js';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import { sharedRateLimits } from '../../../src/exchange/limiter/shared-limits.js';
import { Connection } from '../../../src/exchange/stream/connection.js';
import { type Channel, channelKey, isOpen, type StreamEvent } from '../../../src/exchange/stream/events.js';
import { Feeds } from '../../../src/exchange/stream/feeds.js';
import type { TimeBudget } from '../../../src/platform/time-budget.js';
import type { Account } from '../../../src/sandbox/accounts/accounts.js';
import { SandboxExchange } from '../../../src/sandbox/exchange/exchange.js';
import { Faults } from '../../../src/sandbox/faults/faults.js';
import { FaultLog } from '../../../src/sandbox/faults/log.js';
import { RequestRefused } from '../../../src/sandbox/refusals.js';
import { Activity, interfaceRequestListener, listen } from '../../../src/sandbox/server/http.js';
import { DOCUMENTED_LIMITS, type EnforcedRateLimits, keptLimits } from '../../../src/sandbox/server/limits.js';
import { RequestHandler } from '../../../src/sandbox/server/request-handler.js';
import { StreamServer } from '../../../src/sandbox/streams/stream-server.js';
import { fakeHost } from '../../support/fake-host.js';
import { randomNumbers } from '../../support/random.js';

const MARKET = 'btc_usdt';
const CHANNELS: readonly Channel[] = [
  { kind: 'ticker', market: MARKET },
  { kind: 'depth', market: MARKET },
  { kind: 'trades', market: MARKET },
  { kind: 'kline', market: MARKET, type: '1min' },
  { kind: 'orders', market: MARKET },
  { kind: 'balances' },
];
const TRADERS = ['alice', 'bob', 'carol'] as const;
const EVERYTHING = { asset: true, lever: true, entrust: true, money: true };
/** A feed that differs for so long has lost something. */
const SETTLE_MS = 60_000;
const STEP_MS = 20;

export interface FeedCampaign {
  /** Pushes that the feeds take in all. */
  readonly events: number;
  readonly cuts: number;
  readonly seed: number;
  /** Called after each cut. */
  readonly progress?: (cut: number, events: number) => void;
}

export interface FeedReport {
  readonly events: number;
  readonly cuts: number;
  /** Gaps that were reported as closed, of all channels. */
  readonly gaps: number;
  /** HTTP requests, and the most within a second of one key. */
  readonly requests: number;
  readonly worstSecond: number;
  /** Requests that the exchange refused because they were too many. */
  readonly refused: number;
}

/**
 * Three accounts trade at random, each with feeds of its market, orders and balances, while connections are cut at random
 * bytes. After each cut the trading pauses and all feeds have to equal the exchange. Throws Error if one does not, or a gap
 * was not reported.
 */
export async function feedCampaign({ events, cuts, seed, progress }: FeedCampaign): Promise<FeedReport> {
  const dice = randomNumbers(seed);
  const world = await World.open(seed);
  try {
    const sides = await Promise.all(TRADERS.map((name) => Side.open(world, name)));
    for (const side of sides) await side.settled(world.exchange);
    const count = () => sides.reduce((sum, side) => sum + side.pushes, 0);
    for (let cut = 1; cut <= cuts; cut += 1) {
      const end = Math.ceil((events * cut) / cuts);
      const victims = sides.filter(() => dice() < 0.5);
      const cutSides = victims.length === 0 ? sides.slice(0, 1) : victims;
      const at = count() + Math.floor(dice() * Math.max(1, end - count()));
      const before = cutSides.map((side) => new Map(side.gaps));
      let isArmed = false;
      while (count() < end || !isArmed) {
        if (!isArmed && count() >= at) {
          for (const side of cutSides) side.wire.cutAfter(Math.floor(dice() * 4_000));
          isArmed = true;
        }
        act(world, sides, dice);
        await delay(dice() < 0.1 ? STEP_MS : 0);
      }
      // what is armed and was not reached is reached by what is pushed now
      while (cutSides.some((side) => side.wire.isArmed)) {
        act(world, sides, dice);
        await delay(STEP_MS);
      }
      for (const [index, side] of cutSides.entries()) await side.gapsReported(before[index] ?? new Map());
      for (const side of sides) await side.settled(world.exchange);
      progress?.(cut, count());
    }
    const gaps = sides.reduce((sum, side) => sum + [...side.gaps.values()].reduce((all, one) => all + one, 0), 0);
    const report = { events: count(), cuts, gaps, ...world.load() };
    await Promise.all(sides.map((side) => side.close()));
    return report;
  } finally {
    await world.close();
  }
}

type Dice = () => number;

/** One action of one trader: an order near the market, or the end of one. */
function act({ exchange }: World, sides: readonly Side[], dice: Dice): void {
  const pick = <Value>(values: readonly Value[]): Value => values[Math.floor(dice() * values.length)] as Value;
  const { account } = pick(sides);
  try {
    const open = exchange.orders.list(account, MARKET, { list: 'open', page: 1, pageSize: 100 });
    if (open.length > 12 || (open.length > 0 && dice() < 0.3)) {
      exchange.orders.cancel(account, MARKET, { id: pick(open).id });
      return;
    }
    const { bid, ask } = exchange.market.ticker(MARKET);
    const side = pick(['buy', 'sell'] as const);
    const near = Decimal.of(dice() < 0.5 ? bid : ask);
    const away = Decimal.fromUnits(BigInt(Math.floor(dice() * 400)) - 200n, 2);
    const price = near.plus(away).rescaled(2, 'down').toString();
    const type = pick(['limit', 'limit', 'limit', 'ioc'] as const);
    const amount = pick(['0.001', '0.0007', '0.0123']);
    exchange.orders.place(account, { market: MARKET, side, type, price, amount, accountType: 'spot', borrow: false });
  } catch (error) {
    if (!(error instanceof RequestRefused)) throw error;
  }
}

/** An exchange with the limits of the interface, on a port. */
class World {
  readonly #seen: {
    readonly requests: readonly Asked[];
    readonly refusals: { readonly count: number };
    readonly shut: () => Promise<void>;
  };

  private constructor(
    readonly exchange: SandboxExchange,
    readonly folder: string,
    readonly port: number,
    seen: {
      readonly requests: readonly Asked[];
      readonly refusals: { readonly count: number };
      readonly shut: () => Promise<void>;
    },
  ) {
    this.#seen = seen;
  }

  static async open(seed: number): Promise<World> {
    const folder = mkdtempSync(path.join(tmpdir(), 'pit-feeds-'));
    const firstAccount = { accessKey: 'bank', secretKey: 'bank-secret', safePwd: 'p', username: 'bank' };
    const directory = path.join(folder, 'exchange');
    const exchange = await SandboxExchange.open({ directory, seed, now: Date.now, firstAccount });
    const activity = new Activity();
    const log = () => undefined;
    const refusals = { count: 0 };
    const limits = counting(keptLimits(DOCUMENTED_LIMITS), refusals);
    const handler = new RequestHandler({ exchange, now: Date.now, limits, log });
    const respond = interfaceRequestListener(handler, activity);
    const streams = new StreamServer({
      ...{
        exchange: () => exchange,
        now: Date.now,
        subscriptionsPerSecond: DOCUMENTED_LIMITS.subscriptions,
        activity,
        log,
      },
      faults: new Faults(seed, new FaultLog(path.join(folder, 'faults.ndjson')), { now: Date.now }),
    });
    const requests: Asked[] = [];
    const listener = await listen(
      (request, response) => {
        const key = new URL(request.url ?? '', 'http://localhost').searchParams.get('accesskey') ?? '';
        requests.push({ key, at: performance.now() });
        respond(request, response);
      },
      0,
      { upgrades: streams },
    );
    const shut = async () => {
      await listener.close();
      await exchange.close();
      rmSync(folder, { recursive: true, force: true });
    };
    return new World(exchange, folder, listener.port, { requests, refusals, shut });
  }

  close(): Promise<void> {
    return this.#seen.shut();
  }

  load(): Pick<FeedReport, 'requests' | 'worstSecond' | 'refused'> {
    const { requests, refusals } = this.#seen;
    const worst = TRADERS.map((key) => {
      const times = requests.filter((one) => one.key === key).map(({ at }) => at);
      let first = 0;
      return times.reduce((most, at, index) => {
        while ((times[first] ?? at) <= at - 1_000) first += 1;
        return Math.max(most, index - first + 1);
      }, 0);
    });
    return { requests: requests.length, worstSecond: Math.max(...worst), refused: refusals.count };
  }
}

interface Asked {
  readonly key: string;
  /** On a clock that is never set. */
  readonly at: number;
}

/** The same limits, counting what they refuse. */
function counting(limits: EnforcedRateLimits, refusals: { count: number }): EnforcedRateLimits {
  return new Proxy(limits, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name, target);
      if (typeof method !== 'function') return method;
      return (...values: unknown[]) => {
        try {
          return method.apply(target, values);
        } catch (error) {
          refusals.count += 1;
          throw error;
        }
      };
    },
  });
}

/** A connection's way to the exchange, which can be cut. */
class Wire {
  readonly #server: Server;

  readonly #pairs = new Set<Socket>();
  #left: number | undefined;

  private constructor(
    server: Server,
    readonly port: number,
  ) {
    this.#server = server;
  }

  static async to(port: number): Promise<Wire> {
    let wire: Wire | undefined;
    const server = createServer((client) => {
      if (wire !== undefined) wire.#join(client, connect(port, '127.0.0.1'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    wire = new Wire(server, typeof address === 'object' && address !== null ? address.port : 0);
    return wire;
  }

  /** Whether a cut is still to come. */
  get isArmed(): boolean {
    return this.#left !== undefined;
  }

  /** Cuts the connection after so many more bytes from the exchange, perhaps in the middle of a frame. */
  cutAfter(bytes: number): void {
    this.#left = bytes;
  }

  close(): void {
    for (const socket of this.#pairs) socket.destroy();
    this.#server.close();
  }

  #join(client: Socket, exchange: Socket): void {
    for (const socket of [client, exchange]) {
      this.#pairs.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#pairs.delete(socket);
        client.destroy();
        exchange.destroy();
      });
    }
    client.on('data', (bytes) => exchange.write(bytes));
    exchange.on('data', (bytes) => {
      const left = this.#left;
      if (left === undefined || bytes.length <= left) {
        if (left !== undefined) this.#left = left - bytes.length;
        client.write(bytes);
        return;
      }
      this.#left = undefined;
      client.end(bytes.subarray(0, left), () => client.destroy());
      exchange.destroy();
    });
  }
}

/** A trader with feeds. */
class Side {
  readonly #name: string;

  /** Pushes of data, and the gaps that were reported as closed, by channel. */
  pushes = 0;
  readonly gaps = new Map<string, number>();

  private constructor(
    readonly account: Account,
    readonly wire: Wire,
    name: string,
    start: (side: Side) => Feeds,
  ) {
    this.#name = name;

    this.feeds = start(this);
  }

  readonly feeds: Feeds;

  static async open({ exchange, folder, port }: World, name: string): Promise<Side> {
    const keys = { accessKey: name, secretKey: `${name}-secret` };
    exchange.addAccount({ ...keys, safePwd: 'p', username: name }, EVERYTHING);
    const [account, bank] = [exchange.customers.byAccessKey(name), exchange.customers.byAccessKey('bank')];
    if (account === undefined || bank === undefined) throw new Error('an account is missing');
    exchange.funds.transfer(bank, account, 'usdt', '20000');
    exchange.funds.transfer(bank, account, 'btc', '1');
    const wire = await Wire.to(port);
    const monotonic = () => performance.now();
    const sleep = (ms: number, cut?: AbortSignal) => delay(ms, undefined, { signal: cut }).catch(() => undefined);
    const host = { ...fakeHost(), now: Date.now, monotonic, random: Math.random, sleep };
    const url = `http://127.0.0.1:${port}`;
    const limits = sharedRateLimits({
      ...{
        root: path.join(folder, 'state'),
        now: Date.now,
        monotonic,
        share: 1,
        keyDigest: () => name,
        onUnshared: () => undefined,
      },
      hosts: { base: 'exchange', trade: 'exchange' },
    });
    const clientOf = (budget: TimeBudget, signal: AbortSignal) =>
      new ExchangeClient({
        ...{ host, budget, signal, limits: () => limits, credentials: () => keys },
        hosts: { baseUrl: url, tradeUrl: url },
      });
    const address = async () => `ws://127.0.0.1:${wire.port}/websocket`;
    const start = (side: Side) =>
      new Feeds({
        ...{ host, channels: CHANNELS, clientOf, observe: (event) => side.#note(event) },
        connection: (user) => new Connection({ host, credentials: () => keys, address }, user),
      });
    return new Side(account, wire, name, start);
  }

  async close(): Promise<void> {
    await this.feeds.close();
    this.wire.close();
  }

  /** Waits until the feeds equal the exchange. Throws Error with what differs if it does not. */
  async settled(exchange: SandboxExchange): Promise<void> {
    const end = performance.now() + SETTLE_MS;
    for (;;) {
      const [seen, there] = [this.#picture(), truth(exchange, this.account)];
      // what was polled before there was a stream has no gap
      const isCurrent = CHANNELS.every((channel) => {
        const aged = this.feeds.of(channel);
        return aged?.isCurrent === true && aged.source === 'stream';
      });
      if (isCurrent && isDeepStrictEqual(seen, there)) return;
      if (performance.now() > end)
        throw new Error(`${this.#name} (current: ${isCurrent}): ${JSON.stringify(differences(seen, there))}`);
      await delay(STEP_MS);
    }
  }

  /** Waits until each channel has reported that a gap is closed since. Throws Error if one does not. */
  async gapsReported(before: ReadonlyMap<string, number>): Promise<void> {
    const end = performance.now() + SETTLE_MS;
    const missing = () => CHANNELS.map(channelKey).filter((key) => (this.gaps.get(key) ?? 0) <= (before.get(key) ?? 0));
    while (missing().length > 0) {
      if (performance.now() > end) throw new Error(`${this.#name}: no gap of ${missing().join(', ')}`);
      await delay(STEP_MS);
    }
  }

  #note(event: StreamEvent): void {
    if (event.type === 'data' && event.source === 'push') this.pushes += 1;
    if (event.type !== 'gap' || !event.gap.resynchronised) return;
    const key = channelKey(event.channel);
    this.gaps.set(key, (this.gaps.get(key) ?? 0) + 1);
  }

  /** What the feeds show, as {@link truth} has it. */
  #picture(): Picture {
    const { feeds } = this;
    const book = feeds.of({ kind: 'depth', market: MARKET })?.value;
    const orders = feeds.of({ kind: 'orders', market: MARKET })?.value ?? [];
    const coins = feeds.of({ kind: 'balances' })?.value ?? [];
    const trades = feeds.of({ kind: 'trades', market: MARKET })?.value ?? [];
    const levels = (side: readonly { readonly price: string; readonly amount: string }[] = []) =>
      side.map(({ price, amount }) => `${plain(price)} ${plain(amount)}`);
    return {
      bids: levels(book?.bids),
      asks: levels(book?.asks),
      orders: orders
        .filter(isOpen)
        .map(({ id, price, amount, filled }) => [id, ...[price, amount, filled].map(plain)].join(' '))
        .sort(),
      coins: coins.map(({ coin, available, frozen }) => [coin, plain(available), plain(frozen)].join(' ')).sort(),
      trades: trades.slice(-TRADES).map(({ id }) => id),
    };
  }
}

interface Picture {
  readonly bids: readonly string[];
  readonly asks: readonly string[];
  readonly orders: readonly string[];
  readonly coins: readonly string[];
  /** The ids of the last trades. */
  readonly trades: readonly string[];
}

function differences(seen: Picture, there: Picture): object[] {
  const names = Object.keys(there) as (keyof Picture)[];
  return names
    .filter((name) => !isDeepStrictEqual(seen[name], there[name]))
    .map((name) => ({ name, seen: seen[name], there: there[name] }));
}

const TRADES = 20;
const LEVELS = 50;

/** What the exchange itself has. */
function truth(exchange: SandboxExchange, account: Account): Picture {
  const { bids, asks } = exchange.market.depth(MARKET, { size: LEVELS });
  const levels = (side: readonly (readonly string[])[]) =>
    side.map(([price = '0', amount = '0']) => `${plain(price)} ${plain(amount)}`);
  const open = exchange.orders.list(account, MARKET, { list: 'open', page: 1, pageSize: 100 });
  return {
    bids: levels(bids),
    asks: levels(asks),
    orders: open.map(({ id, price, amount, filled }) => [id, ...[price, amount, filled].map(plain)].join(' ')).sort(),
    coins: exchange.funds
      .balances(account)
      .map(({ coin, available, frozen }) => [coin, plain(available), plain(frozen)].join(' '))
      .sort(),
    trades: exchange.market
      .trades(MARKET)
      .slice(-TRADES)
      .map(({ id }) => id),
  };
}

/** Without zeros at its end. */
function plain(decimal: string): string {
  return Decimal.of(decimal).trimmed().toString();
}
