import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ExchangeClient } from '../../../src/exchange/exchange-client.js';
import type { Host } from '../../../src/platform/host.js';
import { TimeBudget } from '../../../src/platform/time-budget.js';
import { askAdmin } from '../../../src/sandbox/lifecycle/admin-client.js';
import { sandboxFiles } from '../../../src/sandbox/lifecycle/files.js';
import { type Running, serve } from '../../../src/sandbox/lifecycle/serve.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { fakeHost } from '../../support/fake-host.js';
import { type CommandInProcess, startInProcess } from '../../support/in-process.js';
import { randomNumbers } from '../../support/random.js';
import { orderParameters, READS_SELLS, SUBSCRIBES } from '../../support/wire.js';

const MARKET = 'btc_usdt';
/** All clocks go faster than real ones by this factor. */
const FASTER = 20;
/** In milliseconds of the fast clocks. */
const LEG_MS = 2_000;
const SETTLE_MS = 240_000;
/** In real milliseconds. */
const ADMIN_MS = 10_000;

export interface AlertCampaign {
  readonly crossings: number;
  readonly seed: number;
  /** Called after each trouble. */
  readonly progress?: (crossings: number) => void;
}

export interface AlertReport {
  readonly crossings: number;
  readonly fills: number;
  /** How many of both were reported as late. */
  readonly late: number;
  /** How often there was each trouble. */
  readonly troubles: Readonly<Record<Trouble, number>>;
}

interface Alert {
  readonly condition: string;
  readonly time: string;
  readonly value: string;
  readonly late: boolean;
  readonly order: string | null;
}

const TROUBLES = ['none', 'cut', 'reads', 'silence', 'outage', 'sleep', 'restart'] as const;
type Trouble = (typeof TROUBLES)[number];

/**
 * Moves a price across two levels, and lets orders be filled, while `pit alert --repeat` loses its connections, hears nothing, sleeps,
 * and the exchange restarts. What it reports is compared with all trades and orders of the exchange. Throws Error if a
 * crossing or a fill was reported twice, not at all, or without having happened.
 */
export async function alertCampaign({ crossings, seed, progress }: AlertCampaign): Promise<AlertReport> {
  const dice = randomNumbers(seed);
  const world = await World.open(seed);
  try {
    const { client } = world;
    const start = Number((await client.ticker({ market: MARKET })).last);
    // further away than the price moves by itself while the alert starts
    const levels = { above: start * 1.003, below: start * 0.997 };
    await world.move(start, 1);
    const conditions = [`last>${levels.above.toFixed(2)}`, `last<${levels.below.toFixed(2)}`, 'fill'];
    const alert = await world.startAlert(conditions);
    const first = (await client.trades(MARKET)).at(-1)?.id ?? '0';
    const troubles = Object.fromEntries(TROUBLES.map((one) => [one, 0])) as Record<Trouble, number>;
    const truth = new Truth(client, first, levels);
    while (truth.crossings.length < crossings) {
      const trouble = TROUBLES[Math.floor(dice() * TROUBLES.length)] ?? 'none';
      troubles[trouble] += 1;
      if (dice() < 0.5) await world.order(start * (0.994 + dice() * 0.007));
      await world.during(trouble, dice, async () => {
        for (let leg = Math.floor(dice() * 4); leg >= 0; leg -= 1)
          await world.move(start * (0.993 + dice() * 0.014), LEG_MS);
      });
      await world.move(start * (0.993 + dice() * 0.014), LEG_MS);
      await truth.read();
      progress?.(truth.crossings.length);
    }
    const reported = () => alertsOf(alert).filter(({ order }) => order === null);
    const filled = () => alertsOf(alert).filter(({ order }) => order !== null);
    const end = performance.now() + SETTLE_MS / FASTER;
    for (;;) {
      await truth.read();
      const orders = await world.filledOrders();
      const problem = differences(truth.crossings, reported()) ?? fillProblem(orders, filled());
      if (problem === undefined) break;
      if (performance.now() > end) throw new Error(`${problem}\n${alert.printed.stderr}`);
      await delay(50);
    }
    await alert.interrupt();
    await alert.ended;
    const late = alertsOf(alert).filter((one) => one.late).length;
    return { crossings: truth.crossings.length, fills: (await world.filledOrders()).size, late, troubles };
  } finally {
    await world.close();
  }
}

function alertsOf({ printed }: CommandInProcess): Alert[] {
  return printed.stdout
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Alert);
}

/** What differs between the crossings that happened and those that were reported: each has to be, with one of its trades. */
function differences(there: readonly Crossed[], reported: readonly Alert[]): string | undefined {
  const unmatched = new Set(reported);
  for (const { side, trades } of there) {
    const sign = side === 'above' ? '>' : '<';
    const own = reported.filter(
      ({ condition, time, value }) => condition.includes(sign) && trades.includes(tradeKey(Date.parse(time), value)),
    );
    if (own.length !== 1) return `${side} from ${trades[0]} on: reported ${own.length} times`;
    for (const alert of own) unmatched.delete(alert);
  }
  return unmatched.size === 0 ? undefined : `invented: ${JSON.stringify([...unmatched])}`;
}

function tradeKey(time: number, price: string): string {
  return `${time} ${Number(price)}`;
}

/** Each order that is filled was reported, each time with more than before, and in the end with all of it. */
function fillProblem(orders: ReadonlyMap<string, string>, reported: readonly Alert[]): string | undefined {
  const amounts = new Map<string, number[]>();
  for (const { order, value } of reported)
    amounts.set(order ?? '', [...(amounts.get(order ?? '') ?? []), Number(value)]);
  for (const [id, filled] of orders) {
    const said = amounts.get(id) ?? [];
    const isGrowing = said.every((amount, index) => amount > (said[index - 1] ?? 0));
    if (!isGrowing || said.at(-1) !== Number(filled)) return `order ${id}: filled ${filled}, reported ${said}`;
  }
  const invented = [...amounts.keys()].filter((id) => !orders.has(id));
  return invented.length === 0 ? undefined : `fills of ${invented} are invented`;
}

interface Crossed {
  readonly side: 'above' | 'below';
  /** All until the price was back. */
  readonly trades: string[];
}

/** The crossings by all trades of the exchange, and by rules of its own. */
class Truth {
  readonly #client: ExchangeClient;
  #last: string;
  readonly #levels: { readonly above: number; readonly below: number };

  readonly crossings: Crossed[] = [];
  /** The crossings from which the price is not back. */
  readonly #current: { above?: Crossed | undefined; below?: Crossed | undefined } = {};

  constructor(client: ExchangeClient, last: string, levels: { readonly above: number; readonly below: number }) {
    this.#client = client;
    this.#last = last;
    this.#levels = levels;
  }

  async read(): Promise<void> {
    for (;;) {
      const trades = await this.#client.trades(MARKET, this.#last);
      if (trades.length === 0) return;
      for (const { price, time } of trades) this.#take(Number(price), tradeKey(time, price));
      this.#last = trades.at(-1)?.id ?? this.#last;
    }
  }

  #take(price: number, key: string): void {
    const above = Number(this.#levels.above.toFixed(2));
    const below = Number(this.#levels.below.toFixed(2));
    const sides = [
      { side: 'above', isBeyond: price > above, isBack: price <= above * 0.999 },
      { side: 'below', isBeyond: price < below, isBack: price >= below * 1.001 },
    ] as const;
    for (const { side, isBeyond, isBack } of sides) {
      const current = this.#current[side];
      if (isBack) this.#current[side] = undefined;
      else if (current !== undefined) current.trades.push(key);
      else if (isBeyond) {
        this.#current[side] = { side, trades: [key] };
        this.crossings.push(this.#current[side]);
      }
    }
  }
}

/** A way to the exchange that can be cut, or stand still. */
class Wire {
  readonly #server: Server;

  readonly #pairs = new Set<Socket>();
  #isCut = false;
  #isStill = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async to(port: number): Promise<Wire> {
    let wire: Wire | undefined;
    const server = createServer((client) => {
      if (wire !== undefined) wire.#join(client, port);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    wire = new Wire(server);
    return wire;
  }

  get port(): number {
    const address = this.#server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  }

  /** Whether connections are refused; those that there are end. */
  set isCut(isCut: boolean) {
    this.#isCut = isCut;
    if (isCut) this.reset();
  }

  /** Whether nothing passes; it passes later. */
  set isStill(isStill: boolean) {
    this.#isStill = isStill;
    for (const socket of this.#pairs) isStill ? socket.pause() : socket.resume();
  }

  reset(): void {
    for (const socket of this.#pairs) socket.destroy();
  }

  close(): void {
    this.reset();
    this.#server.close();
  }

  #join(client: Socket, port: number): void {
    client.on('error', () => undefined);
    if (this.#isCut) {
      client.destroy();
      return;
    }
    const exchange = connect(port, '127.0.0.1');
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
    exchange.on('data', (bytes) => client.write(bytes));
    if (this.#isStill) for (const socket of [client, exchange]) socket.pause();
  }
}

/** A sandbox with fast clocks, and the ways of the alert to it. */
class World {
  readonly #home: string;
  readonly #seed: number;

  readonly #start = performance.now();
  readonly #origin = Date.now();
  #asleepMs = 0;
  #asleepSince: number | undefined;
  #running: Running | undefined;
  #client: ExchangeClient | undefined;
  #wires: { readonly stream: Wire; readonly http: Wire } | undefined;

  private constructor(home: string, seed: number) {
    this.#home = home;
    this.#seed = seed;
  }

  static async open(seed: number): Promise<World> {
    const world = new World(mkdtempSync(path.join(tmpdir(), 'pit-alerts-')), seed);
    await world.#serve(0);
    const port = Number(new URL(world.address.baseUrl).port);
    world.#wires = { stream: await Wire.to(port), http: await Wire.to(port) };
    return world;
  }

  async close(): Promise<void> {
    for (const wire of Object.values(this.wires)) wire.close();
    await this.#running?.close();
    rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
  }

  get address() {
    if (this.#running === undefined) throw new Error('the sandbox does not run');
    return this.#running.address;
  }

  get wires() {
    if (this.#wires === undefined) throw new Error('there are no wires');
    return this.#wires;
  }

  /** Reads and writes without a wire. */
  get client(): ExchangeClient {
    const { baseUrl, tradeUrl, accessKey, secretKey } = this.address;
    this.#client ??= new ExchangeClient({
      host: { ...fakeHost(), now: this.now, monotonic: () => performance.now(), sleep: (ms: number) => delay(ms) },
      hosts: { baseUrl, tradeUrl },
      credentials: () => ({ accessKey, secretKey }),
      budget: new TimeBudget(3_600_000, () => performance.now()),
    });
    return this.#client;
  }

  readonly now = () => Math.floor(this.#origin + (performance.now() - this.#start) * FASTER);

  /** Has the simulated traders lead the price somewhere, and waits for that. */
  async move(price: number, ms: number): Promise<void> {
    await askAdmin(this.address, 'POST /price', ADMIN_MS, {
      market: MARKET,
      price: price.toFixed(2),
      ms: Math.ceil(ms / 2),
    });
    await delay(ms / FASTER);
  }

  /** Places an order to buy. */
  async order(price: number): Promise<void> {
    const terms = { market: MARKET, side: 'buy', price: price.toFixed(2), amount: '0.001' } as const;
    await this.client.api.write('order', orderParameters(terms));
  }

  /** How much of each order is filled that is. */
  async filledOrders(): Promise<ReadonlyMap<string, string>> {
    const { orders } = await this.client.orders(MARKET, 'buy', { from: 1, to: 1_000 });
    return new Map(orders.filter(({ filled }) => Number(filled) > 0).map(({ id, filled }) => [id, filled]));
  }

  /** Starts `pit alert` over the wires, and waits until it follows the market. */
  async startAlert(conditions: readonly string[]): Promise<CommandInProcess> {
    const { accessKey, secretKey } = this.address;
    const [ws, http] = [
      `ws://127.0.0.1:${this.wires.stream.port}/websocket`,
      `http://127.0.0.1:${this.wires.http.port}`,
    ];
    const environment = { PATH: process.env.PATH ?? '', TZ: 'UTC', PIT_HOME: path.join(this.#home, 'pit') };
    const run = async (words: readonly string[], input = '') => {
      const { ended, printed } = startInProcess(words, environment, { input });
      if ((await ended) !== 0) throw new Error(`${words[0]}: ${printed.stderr}`);
    };
    await run(['profile', 'add', 'wired', '--base-url', http, '--trade-url', http, '--ws-url', ws]);
    await run(['keys', 'set', '--profile', 'wired', '--stdin', '--store', 'file'], `${accessKey}\n${secretKey}\n`);
    const words = ['alert', MARKET, ...conditions, '--repeat', '--json', '--verbose', '--profile', 'wired'];
    const alert = startInProcess(words, environment, { host: this.#host });
    // the channels begin with what is read last
    const trades = new RegExp(`${SUBSCRIBES}[\\s\\S]*/trades\\?.* HTTP 200`);
    const sells = new RegExp(`${READS_SELLS.source}.* HTTP 200`);
    while (!trades.test(alert.printed.stderr) || !sells.test(alert.printed.stderr)) await delay(10);
    await delay(LEG_MS / FASTER);
    return alert;
  }

  /** Lets something happen during a trouble, and ends that. */
  async during(trouble: Trouble, dice: () => number, work: () => Promise<void>): Promise<void> {
    const { stream, http } = this.wires;
    if (trouble === 'cut' || trouble === 'outage') stream.isCut = true;
    if (trouble === 'outage' || trouble === 'reads') http.isCut = true;
    // the stream comes back, and what was missed cannot be read
    if (trouble === 'reads') stream.reset();
    if (trouble === 'silence') stream.isStill = true;
    if (trouble === 'sleep') {
      this.#asleepSince = performance.now();
      stream.isStill = true;
      http.isStill = true;
    }
    if (trouble === 'restart') {
      const port = Number(new URL(this.address.baseUrl).port);
      await this.#running?.close();
      await delay((LEG_MS * dice()) / FASTER);
      await this.#serve(port);
    }
    await work();
    stream.isCut = false;
    http.isCut = false;
    if (this.#asleepSince !== undefined) {
      // the exchange may have given up the connection meanwhile
      if (dice() < 0.5) stream.reset();
      this.#asleepMs += performance.now() - this.#asleepSince;
      this.#asleepSince = undefined;
    }
    stream.isStill = false;
    http.isStill = false;
  }

  /** The clocks of the machine that the alert runs on. While it sleeps, no time passes on the clock that is never set. */
  get #host(): Pick<Host, 'now' | 'monotonic' | 'sleep'> {
    const awake = () => (this.#asleepSince ?? performance.now()) - this.#start - this.#asleepMs;
    const sleep = async (ms: number, cut?: AbortSignal) => {
      const end = awake() + ms / FASTER;
      while (!cut?.aborted && awake() < end)
        await delay(Math.max(5, end - awake()), undefined, { signal: cut }).catch(() => undefined);
    };
    return { now: this.now, monotonic: () => awake() * FASTER, sleep };
  }

  async #serve(port: number): Promise<void> {
    const { directory } = sandboxFiles({ state: path.join(this.#home, 'exchange') });
    const options = { directory, port, seed: this.#seed, limits: UNLIMITED, tolerance: 3_600_000, idleMs: null };
    this.#running = await serve({ ...options, now: this.now });
  }
}
