import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Decimal } from '../../../src/domain/decimal.js';
import type { Market } from '../../../src/domain/market.js';
import type { AdminCallName } from '../../../src/sandbox/admin/calls.js';
import { administer } from '../../../src/sandbox/lifecycle/admin-client.js';
import { AlgoStore, parentOf } from '../../../src/trading/algos/store.js';
import { type AlgoTerms, kindOf } from '../../../src/trading/algos/terms.js';
import { killProcess, serveProcess } from '../../sandbox/support/served-process.js';
import { PIT } from '../../support/command.js';
import { between, chosen, type Draw, drawOf, weighted } from './draw.js';
import { Exchange } from './exchange.js';

// Algo orders on the sandbox, watched by processes that are killed all the time, while the price moves, requests fail and others cancel. The
// verdict is read from the exchange's own data, never from what pit says.

export interface AlgoCampaignOptions {
  readonly seed: number;
  /** How many algo orders. */
  readonly count: number;
  readonly tell: (line: string) => void;
}

export interface AlgoCampaign {
  readonly algos: number;
  readonly children: number;
  readonly kills: number;
  readonly duplicates: number;
  /** Each broken promise, with what shows it. */
  readonly faults: readonly string[];
}

/** Algo orders of one exchange at a time. */
const PER_ROUND = 20;
/** How long their watchers are killed, in ms. */
const ROUND_MS = 40_000;
/** How long the last watcher gets to act upon every stop, and then to end all of them, in ms. */
const SETTLED_MS = 60_000;
const END_MS = 240_000;
/** A test cannot wait a minute for each lost order. */
const TOLERANCE_MS = 10_000;
const START_PRICE = 28_000;

const MARKET: Market = {
  ...{ market: 'btc_usdt', base: 'btc', quote: 'usdt', priceScale: 2, amountScale: 6, tickSize: '0.01' },
  ...{ lotSize: '0.000001', minAmount: '0.0001', minNotional: '1' },
};

/** What the network does to writes, and how often. */
const WRITE_FAULTS = ['drop-before', 'drop-after', 'truncate', 'error-after', 'html-before', 'twice'] as const;

export async function algoCampaign({ seed, count, tell }: AlgoCampaignOptions): Promise<AlgoCampaign> {
  const total = { algos: 0, children: 0, kills: 0, duplicates: 0, faults: [] as string[] };
  for (let round = 0; total.algos < count; round += 1) {
    const found = await runRound(drawOf(seed, 'algos', round), Math.min(PER_ROUND, count - total.algos));
    total.algos += found.algos;
    total.children += found.children;
    total.kills += found.kills;
    total.duplicates += found.duplicates;
    total.faults.push(...found.faults.map((fault) => `round ${round}: ${fault}`));
    tell(`${total.algos} algo orders, ${total.children} children, ${total.kills} kills, ${total.faults.length} faults`);
  }
  return total;
}

async function runRound(draw: Draw, count: number): Promise<AlgoCampaign> {
  const home = mkdtempSync(path.join(tmpdir(), 'pit-algos-'));
  const limits = `key=off,address=off,kline=off,reqTime=${TOLERANCE_MS / 1_000}s`;
  const served = await serveProcess(home, ['--limit', limits]);
  const call = (name: AdminCallName, input: object) => administer(served.address, name, input, 60_000);
  const exchange = new Exchange(served.address);
  const watcher = new Watcher(home);
  try {
    await watcher.command('profile', 'set', 'sandbox', 'reqTimeTolerance', `${TOLERANCE_MS / 1_000}s`);
    await call('POST /price', { market: 'btc_usdt', price: String(START_PRICE), ms: 0 });
    const store = new AlgoStore(HOST, path.join(home, 'state'), 'sandbox');
    const terms = Array.from({ length: count }, () => termsOf(draw));
    for (const one of terms) {
      const [bid, ask] = [START_PRICE - 1, START_PRICE + 1].map((price) => Decimal.of(String(price)));
      store.create((id) => ({
        fact: 'began',
        time: Date.now(),
        terms: { ...one, id },
        bid: bid ?? null,
        ask: ask ?? null,
      }));
    }
    const ids = store.openIds();
    for (const kind of WRITE_FAULTS)
      for (const operation of ['order', 'cancelOrder'])
        await call('POST /faults/add', { kind, operation, probability: 0.04 });
    await call('POST /faults/add', { kind: 'drop-after', operation: 'getOrder', probability: 0.05 });
    await call('POST /faults/add', { kind: 'stream-cut', probability: 0.002 });
    const isOver = { now: false };
    const moving = movePrices(draw, call, isOver);
    const cancelling = cancelNowAndThen(draw, exchange, isOver);
    await watcher.killFor(ROUND_MS, draw);
    isOver.now = true;
    await Promise.all([moving, cancelling]);
    await call('POST /faults/clear', {});
    // every stop of a sell is reached now, and stays so; no price is further away than guards allow
    await call('POST /price', { market: 'btc_usdt', price: String(START_PRICE * 0.93), ms: 1_000 });
    await watcher.untilNoneIsLeft(store, SETTLED_MS);
    // what is paused waits for the user, and the order of a stop may rest at a price that the market has left
    const left = store.openIds();
    for (const id of left) store.add(id, { fact: 'cancelled', time: Date.now(), reason: 'the campaign ends' });
    await watcher.untilNoneIsLeft(store, END_MS);
    const file = path.join(home, 'log.ndjson');
    await call('POST /export', { file });
    const found = judge(store, ids, readLog(file));
    return { ...found, algos: count, kills: watcher.kills };
  } finally {
    watcher.end();
    exchange.close();
    await killProcess(served);
    rmSync(home, { recursive: true, force: true, maxRetries: 5 });
  }
}

const HOST = {
  now: Date.now,
  randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
};

/** Kinds of algo orders, by how often they are drawn. Sells by stops, as they protect; buys by slices and chases. */
const KINDS = [
  { weight: 4, make: (draw: Draw) => exits(draw, { stop: between(draw, 0.96, 0.995) }) },
  {
    weight: 3,
    make: (draw: Draw) => exits(draw, { stop: between(draw, 0.96, 0.995), take: between(draw, 1.004, 1.03) }),
  },
  { weight: 3, make: (draw: Draw) => exits(draw, { trail: between(draw, 0.005, 0.03) }) },
  {
    weight: 2,
    make: (draw: Draw) => ({
      ...exits(draw, { stop: between(draw, 0.95, 0.98) }),
      side: 'buy' as const,
      entry: { kind: 'limit', type: 'limit', price: priceAt(between(draw, 0.99, 1.005)) } as const,
    }),
  },
  {
    weight: 1,
    make: (draw: Draw) => ({
      ...exits(draw, {}),
      side: 'buy' as const,
      exits: null,
      entry: { kind: 'twap', durationMs: 20_000, everyMs: 4_000, isPassive: false, bound: null } as const,
    }),
  },
  {
    weight: 1,
    make: (draw: Draw) => ({
      ...exits(draw, {}),
      side: 'buy' as const,
      exits: null,
      entry: { kind: 'chase', bound: null } as const,
    }),
  },
];

function termsOf(draw: Draw): AlgoTerms {
  return weighted(draw, KINDS).make(draw);
}

function exits(
  draw: Draw,
  { stop, take, trail }: { readonly stop?: number; readonly take?: number; readonly trail?: number },
): AlgoTerms {
  return {
    ...{ id: '', profile: 'sandbox', owner: 'sandbox', market: MARKET, account: 'spot', borrow: false, repay: false },
    side: 'sell',
    amount: Decimal.of(between(draw, 0.001, 0.02).toFixed(6)),
    ...{ entry: null, when: [], slippage: Decimal.of('0.01'), trigger: 'book', forMs: null, exec: null, notify: false },
    exits: {
      take: take === undefined ? null : priceAt(take),
      stop: stop === undefined ? null : priceAt(stop),
      limit: null,
      trail: trail === undefined ? null : { unit: 'share', value: Decimal.of(trail.toFixed(4)) },
    },
  };
}

function priceAt(share: number): Decimal {
  return Decimal.of((START_PRICE * share).toFixed(2));
}

async function movePrices(
  draw: Draw,
  call: (name: AdminCallName, input: object) => Promise<unknown>,
  isOver: { now: boolean },
) {
  let price = START_PRICE;
  while (!isOver.now) {
    price = Math.min(START_PRICE * 1.03, Math.max(START_PRICE * 0.97, price * between(draw, 0.992, 1.008)));
    await call('POST /price', { market: 'btc_usdt', price: price.toFixed(2), ms: Math.round(between(draw, 0, 800)) });
    await delay(between(draw, 200, 1_500));
  }
}

/** Another program of the account cancels an open order now and then. */
async function cancelNowAndThen(draw: Draw, exchange: Exchange, isOver: { now: boolean }) {
  while (!isOver.now) {
    await delay(between(draw, 4_000, 9_000));
    const side = chosen(draw, ['buy', 'sell'] as const);
    const open = (await exchange.orders('btc_usdt', side, 0).catch(() => [])).filter(
      ({ status }) => status === 0 || status === 3,
    );
    if (open.length === 0) continue;
    await exchange.ask('cancelOrder', { currency: 'btc_usdt', id: chosen(draw, open).id }).catch(() => '');
  }
}

/** `pit algo run`, which is killed again and again. */
class Watcher {
  readonly #home: string;
  #child: ChildProcess | undefined;
  kills = 0;

  constructor(home: string) {
    this.#home = home;
  }

  async command(...words: readonly string[]): Promise<void> {
    await once(this.#spawn(words), 'close');
  }

  #spawn(words: readonly string[]): ChildProcess {
    const { PATH = '' } = process.env;
    return spawn(PIT.command, [...PIT.arguments, ...words], {
      env: { PATH, TZ: 'UTC', PIT_HOME: this.#home },
      stdio: 'ignore',
    });
  }

  /** Runs it for a time, each time until it is killed, ended or stopped for longer than data may be old. */
  async killFor(ms: number, draw: Draw): Promise<void> {
    const end = Date.now() + ms;
    while (Date.now() < end) {
      const child = this.#spawn(['algo', 'run', '--json']);
      this.#child = child;
      const ended = once(child, 'close');
      await delay(between(draw, 800, 7_000));
      const how = draw();
      this.kills += 1;
      if (how < 0.15) {
        child.kill('SIGSTOP');
        await delay(6_000);
        child.kill('SIGCONT');
        await delay(between(draw, 500, 3_000));
      }
      child.kill(how < 0.3 ? 'SIGTERM' : 'SIGKILL');
      await ended;
    }
  }

  async untilNoneIsLeft(store: AlgoStore, ms: number): Promise<void> {
    const end = Date.now() + ms;
    while (Date.now() < end && areAtWork(store)) {
      this.#child = this.#spawn(['algo', 'run', '--json']);
      const ended = once(this.#child, 'close');
      while (Date.now() < end && areAtWork(store) && this.#child.exitCode === null) await delay(200);
      this.end();
      await ended;
    }
  }

  end(): void {
    this.#child?.kill('SIGKILL');
  }
}

/** Whether an algo order has not ended and does not wait for its user. */
function areAtWork(store: AlgoStore): boolean {
  return store.openIds().some((id) => {
    const facts = store.read(id)?.facts;
    return facts !== undefined && (facts.paused === null || facts.cancelled !== null);
  });
}

/** An order in the exchange's own data. Amounts in lots. */
interface Logged {
  readonly id: string;
  readonly clientId: string;
  readonly side: 'buy' | 'sell';
  readonly filled: bigint;
  /** What a buy paid in the base coin, in lots, rounded up. */
  readonly baseFee: bigint;
  readonly isOpen: boolean;
}

/** The row of an order in an export of the sandbox. */
interface StoredRow {
  readonly id: bigint;
  readonly clientId: string | null;
  readonly side: 'buy' | 'sell';
  readonly amount: bigint;
  readonly remaining: bigint;
  readonly fee: bigint;
  readonly open: boolean;
}

const LOTS = 6;
/** The exchange counts fees in units of the coin, of which a lot has so many. */
const UNITS_PER_LOT = 100n;

function readLog(file: string): Logged[] {
  const orders = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\["(open|closed)\/1\/btc_usdt\//.test(line));
  return orders.flatMap((line) => {
    const [, row] = JSON.parse(line, (_, value: unknown) => bigIntOf(value)) as [string, StoredRow];
    const { id, clientId, side, amount, remaining, fee, open } = row;
    if (clientId === null || parentOf(clientId) === undefined) return [];
    const baseFee = side === 'buy' ? (fee + UNITS_PER_LOT - 1n) / UNITS_PER_LOT : 0n;
    return [{ id: String(id), clientId, side, filled: amount - remaining, baseFee, isOpen: open }];
  });
}

function bigIntOf(value: unknown): unknown {
  const text = (value as { $bigint?: unknown } | null)?.$bigint;
  return typeof text === 'string' ? BigInt(text) : value;
}

function judge(store: AlgoStore, ids: readonly string[], log: readonly Logged[]) {
  const faults: string[] = [];
  let duplicates = 0;
  for (const id of ids) {
    const record = store.read(id);
    const facts = record?.facts;
    if (record === undefined || facts === undefined) {
      faults.push(`${id}: its record is gone`);
      continue;
    }
    const { terms } = facts.began;
    const all = log.filter(({ clientId }) => parentOf(clientId) === id);
    // of two orders with one client id, the network made the second
    const own = all.filter(
      (order) => !all.some((other) => other.clientId === order.clientId && BigInt(other.id) < BigInt(order.id)),
    );
    duplicates += all.length - own.length;
    const sum = (orders: readonly Logged[]) => orders.reduce((lots, { filled }) => lots + filled, 0n);
    const exitsOf = (orders: readonly Logged[]) => orders.filter(({ clientId }) => !/e\d+$/.test(clientId));
    const entries = all.filter(({ clientId }) => /e\d+$/.test(clientId));
    const amount = lots(terms.amount);
    const fees = entries.reduce((paid, { baseFee }) => paid + baseFee, 0n);
    const position = terms.entry === null ? amount : sum(entries) - fees;
    const words = `${id} (${kindOf(terms)}, ${facts.ended?.outcome}: ${facts.ended?.reason})`;
    const say = (what: string) =>
      faults.push(`${words}: ${what}: ${all.map((order) => `${order.clientId} ${order.filled}`).join(', ')}`);
    if (facts.ended === null) say(`it has not ended (${facts.paused?.reason ?? 'not paused'})`);
    if (all.some(({ isOpen }) => isOpen)) say('an order is left open');
    if (sum(own.filter((order) => /e\d+$/.test(order.clientId))) > amount) say('more than the amount was bought');
    if (sum(exitsOf(own)) > position) say('more was sold than there was');
    const isStop = terms.exits !== null && (terms.exits.stop !== null || terms.exits.trail !== null);
    const isFree = record.said.every(({ said }) => !/^The stop order .* was cancelled elsewhere/.test(said));
    // a price that moved further than the slippage leaves an order that rests
    const isActedUpon =
      sum(exitsOf(all)) >= position - SMALLEST_LOTS || own.some(({ clientId }) => /s\d+$/.test(clientId));
    if (isStop && isFree && !isActedUpon && facts.paused === null) say('the stop was reached and not acted upon');
    const isTold = (order: Logged) => record.children.some(({ child }) => child === order.clientId);
    if (own.some((order) => !isTold(order))) say('an order is in no record');
  }
  return { children: log.length, duplicates, faults };
}

/** What is smaller cannot be sold: the minimum is an amount of 0.0001 btc. */
const SMALLEST_LOTS = 100n;

function lots(amount: Decimal): bigint {
  return BigInt(
    amount
      .times(Decimal.of(String(10 ** LOTS)))
      .rescaled(0, 'down')
      .toString(),
  );
}
