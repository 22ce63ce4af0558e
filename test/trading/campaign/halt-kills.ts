import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { killProcess, serveProcess } from '../../sandbox/support/served-process.js';
import { chosen, drawOf } from './draw.js';
import { Exchange } from './exchange.js';
import { type Lane, openLane } from './lane.js';
import { documentOf, type Program, type Run, wasKilled } from './program.js';
import { requiring } from './required-module.js';

interface HaltKillOptions {
  readonly seed: number;
  /** How many points are chosen; absent: each. */
  readonly kills?: number;
  /** Reports progress. */
  readonly tell?: (words: string) => void;
}

interface HaltKills {
  readonly points: number;
  readonly kills: number;
  /** How often the command ended before the kill. */
  readonly tooLate: number;
  readonly complaints: readonly string[];
}

/** The command is killed at this call that changes a file, or at this moment of a request. Counted from 1. */
interface Point {
  readonly of: 'file' | 'network';
  readonly count: number;
}

const COMMAND = ['halt', '--cancel', '--flatten', 'usdt', '--yes', '--json'];
const LIFT = ['halt', '--lift', '--confirm', 'sandbox', '--json'];
/** How many accounts there are, each with an exchange of its own. */
const LANES = 3;
/** Long enough for an unknown order to be settled. */
const TIMEOUT = ['--timeout', '60'];
/** What is bought before each kill. */
const BOUGHT = { btc_usdt: '0.02', eth_usdt: '0.3' } as const;
/** Where an order rests before each kill. */
const RESTING = { ltc_usdt: '0.5', bch_usdt: '0.1' } as const;
/** The command passes more points than these. */
const FEWEST_POINTS = 100;
/** In usdt: what an order cannot sell is less. */
const DUST = 1.1;

/**
 * Kills `pit halt --cancel --flatten` at each call that changes a file of the journal or the latch, and at each moment of each
 * request, and runs the same command again: it has to leave no open order, no coin to sell, nothing unknown and the account
 * halted, and never send an order twice.
 */
export async function haltKillCampaign({ seed, kills, tell }: HaltKillOptions): Promise<HaltKills> {
  const folder = mkdtempSync(path.join(tmpdir(), 'pit-halted-'));
  const complaints: string[] = [];
  const done = { points: 0, kills: 0, tooLate: 0 };
  let left: IterableIterator<Point> | undefined;
  try {
    const accounts: Account[] = [];
    for (let index = 0; index < LANES; index += 1) accounts.push(await Account.open(path.join(folder, String(index))));
    try {
      const [first] = accounts;
      const points = (await first?.points()) ?? [];
      done.points = points.length;
      left = chosenPoints(points, kills, seed).values();
      await Promise.all(accounts.map((account) => inAccount(account)));
    } finally {
      for (const account of accounts) await account.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  if (done.kills !== Math.min(kills ?? done.points, done.points)) complain(`there were only ${done.kills} kills`);
  if (done.points <= FEWEST_POINTS) complain(`only ${done.points} points were seen`);
  return { ...done, complaints };

  function complain(words: string): void {
    complaints.push(words);
    tell?.(words);
  }

  async function inAccount(account: Account): Promise<void> {
    for (const point of left ?? []) {
      const { isKilled, problems } = await account.killAt(point);
      done.kills += 1;
      if (!isKilled) done.tooLate += 1;
      for (const problem of problems) complain(`killed at ${point.of} ${point.count}: ${problem}`);
      if (done.kills % 20 === 0) tell?.(`${done.kills} kills, ${complaints.length} complaints`);
    }
  }
}

function chosenPoints(points: readonly Point[], kills: number | undefined, seed: number): readonly Point[] {
  if (kills === undefined) return points;
  const draw = drawOf(seed, 'points');
  const left = new Set(points);
  for (const _ of points.slice(kills)) left.delete(chosen(draw, [...left]));
  return [...left];
}

/** An account of an exchange of its own, and the home of a pit that halts it. */
class Account {
  readonly #lane: Lane;
  readonly #exchange: Exchange;
  readonly #prices: ReadonlyMap<string, { readonly bid: number; readonly ask: number }>;
  readonly #stop: () => Promise<void>;

  #round = 0;

  private constructor(
    lane: Lane,
    exchange: Exchange,
    prices: ReadonlyMap<string, { readonly bid: number; readonly ask: number }>,
    stop: () => Promise<void>,
  ) {
    this.#lane = lane;
    this.#exchange = exchange;
    this.#prices = prices;
    this.#stop = stop;
  }

  /** Serves an exchange. Throws if an account with nothing but usdt cannot be made. */
  static async open(folder: string): Promise<Account> {
    mkdirSync(folder);
    const served = await serveProcess(path.join(folder, 'exchange'), ['--limit', 'key=off,address=off,reqTime=3s']);
    const exchange = new Exchange(served.address);
    const markets = [...Object.keys(BOUGHT), ...Object.keys(RESTING)];
    const prices = new Map(
      await Promise.all(markets.map(async (market) => [market, await exchange.best(market)] as const)),
    );
    const lane = await openLane(path.join(folder, 'home'), exchange);
    const account = new Account(lane, exchange, prices, async () => {
      await lane.close();
      exchange.close();
      await killProcess(served);
    });
    // a test cannot wait a minute until a request has expired
    await lane.program.run(['profile', 'set', 'sandbox', 'reqTimeTolerance', '3s']);
    await lane.program.run(['profile', 'set', 'sandbox', 'orderNotional', 'off']);
    const sold = await lane.program.run([...COMMAND, ...TIMEOUT]);
    if (sold.code !== 0) throw new Error(`the account could not be emptied: ${sold.stderr}`);
    return account;
  }

  /** The points that the command passes. */
  async points(): Promise<readonly Point[]> {
    await this.#prepare();
    let moments = 0;
    void this.#lane.sees(() => {
      moments += 1;
      return false;
    });
    const run = await this.#command();
    const [, calls = '0'] = /file calls: (\d+)/.exec(run.stderr) ?? [];
    const numbered = (of: Point['of'], count: number) =>
      Array.from({ length: count }, (_, index): Point => ({ of, count: index + 1 }));
    return [...numbered('file', Number(calls)), ...numbered('network', moments)];
  }

  /** Kills the command there, and runs it again. */
  async killAt({ of, count }: Point): Promise<{ readonly isKilled: boolean; readonly problems: readonly string[] }> {
    await this.#prepare();
    const since = this.#lane.proxy.requests.length;
    let left = count;
    const moment = this.#lane.sees(() => {
      left -= 1;
      return left === 0;
    });
    const killed = await this.#command(of === 'file' ? count : undefined, of === 'network' ? moment : undefined);
    await this.#lane.proxy.settled();
    const again = await this.#lane.program.run([...COMMAND, ...TIMEOUT]);
    const problems = [
      ...(again.code === 0 ? [] : [`the second run ended with ${again.code}: ${again.stderr}`]),
      ...(await this.#openOrders()),
      ...(await this.#coins()),
      ...(await this.#unknown()),
      ...(await this.#unhalted()),
      ...this.#sentTwice(since),
    ];
    return { isKilled: wasKilled(killed), problems };
  }

  async close(): Promise<void> {
    await this.#stop();
  }

  /** Lifts the halt, buys two coins, and places an order of pit's and one of another program. */
  async #prepare(): Promise<void> {
    this.#round += 1;
    const { program } = this.#lane;
    await succeed(program, LIFT);
    for (const [market, amount] of Object.entries(BOUGHT)) await this.#place(market, amount, this.#ask(market) * 1.01);
    await this.#place('ltc_usdt', RESTING.ltc_usdt, this.#ask('ltc_usdt') * 0.9);
    await succeed(program, this.#restingOrder);
  }

  async #place(market: string, amount: string, price: number): Promise<void> {
    const customerOrderId = `other${this.#round}${market.slice(0, 3)}`;
    await this.#exchange.place({ amount, currency: market, customerOrderId, price: price.toFixed(2), tradeType: '1' });
  }

  get #restingOrder(): string[] {
    const price = (this.#ask('bch_usdt') * 0.9).toFixed(2);
    return ['order', 'buy', 'bch_usdt', RESTING.bch_usdt, '--at', price, '--yes', '--json'];
  }

  #ask(market: string): number {
    return this.#prices.get(market)?.ask ?? 0;
  }

  #command(call?: number, moment?: Promise<void>): Promise<Run> {
    const environment = { ...requiring(KILLING_MODULE), KILL_AT_CALL: String(call ?? 0) };
    const { child, done } = this.#lane.program.start([...COMMAND, ...TIMEOUT], '', environment);
    void moment?.then(() => child.kill('SIGKILL'));
    return done;
  }

  async #openOrders(): Promise<string[]> {
    const sides = [...this.#prices.keys()].flatMap((market) => [[market, 'buy'] as const, [market, 'sell'] as const]);
    const orders = await Promise.all(sides.map(([market, side]) => this.#exchange.orders(market, side, 0)));
    const open = orders.flat().filter(({ status }) => status === 0 || status === 3);
    return open.map(({ market, id }) => `order ${id} of ${market} is open`);
  }

  async #coins(): Promise<string[]> {
    const balances = await this.#exchange.balances();
    return [...balances].flatMap(([coin, amount]) => {
      const worth = amount * (this.#prices.get(`${coin}_usdt`)?.bid ?? 0);
      return coin !== 'usdt' && worth > DUST ? [`${amount} ${coin} are left`] : [];
    });
  }

  async #unknown(): Promise<string[]> {
    const rows = documentOf<{ outcome: string }[]>(await this.#lane.program.run(['resolve', '--json', ...TIMEOUT]));
    const unknown = rows?.filter(({ outcome }) => outcome === 'unknown') ?? [];
    return [
      ...unknown.map((row) => `unknown: ${JSON.stringify(row)}`),
      ...this.#lane.open().records.map((id) => `the record ${id} is open`),
    ];
  }

  async #unhalted(): Promise<string[]> {
    const before = this.#lane.proxy.requests.length;
    const { code, stderr } = await this.#lane.program.run(this.#restingOrder);
    const left = this.#lane.proxy.requests.slice(before).filter(({ operation }) => operation === 'order');
    const isRefused = code === 2 && stderr.includes('"halted":true') && left.length === 0;
    return isRefused ? [] : [`the account is not halted: exit ${code}, ${left.length} orders, ${stderr}`];
  }

  #sentTwice(since: number): string[] {
    const ids = this.#lane.proxy.requests
      .slice(since)
      .flatMap(({ operation, parameters }) => (operation === 'order' ? (parameters.customerOrderId ?? '') : []));
    return ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => `order ${id} was sent twice`);
  }
}

async function succeed(program: Program, words: readonly string[]): Promise<void> {
  const { code, stderr } = await program.run(words);
  if (code !== 0) throw new Error(`pit ${words.join(' ')}: exit ${code}: ${stderr}`);
}

/** Counts the calls that change a file of the journal or the latch, prints the count at the end, and kills its process at one. */
const KILLING_MODULE = `
  const fs = require('node:fs');
  const path = require('node:path');
  const state = path.join(process.env.PIT_HOME, 'state');
  const folders = ['journal', 'halted'].map((name) => path.join(state, name));
  const files = new Map();
  let calls = 0;
  const pass = (file) => {
    if (!folders.some((folder) => String(file).startsWith(folder))) return;
    calls += 1;
    if (calls === Number(process.env.KILL_AT_CALL)) process.kill(process.pid, 'SIGKILL');
  };
  const open = fs.openSync;
  fs.openSync = (file, flags, ...rest) => {
    const descriptor = open(file, flags, ...rest);
    files.set(descriptor, file);
    if (flags !== undefined && flags !== 'r' && flags !== 0) pass(file);
    return descriptor;
  };
  const changing = ['writeSync', 'writeFileSync', 'fsyncSync', 'renameSync', 'rmSync', 'symlinkSync', 'mkdirSync'];
  for (const name of changing) {
    const call = fs[name];
    fs[name] = (target, ...rest) => {
      const result = call(target, ...rest);
      pass(name === 'symlinkSync' ? rest[0] : (files.get(target) ?? target));
      return result;
    };
  }
  require('node:module').syncBuiltinESMExports();
  process.on('exit', () => fs.writeSync(2, 'file calls: ' + calls + '\\n'));
`;
