// `npm run campaign:old-accounts [-- ACCOUNTS [SEED]]`: accounts that have placed 30 to 4,000 orders in each of two markets, at exchanges
// whose lists are behind by up to three seconds. Between its commands orders come from elsewhere, some are cancelled there, some are executed
// after their sender has given up, time passes, what pit has kept is damaged or gone, and a reading is killed. Each command, and some beside
// another process that reads the same, is compared with what the exchange has, and profit and loss with that of all lists.
import { randomInt } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { killProcess, serveProcess } from '../sandbox/support/served-process.js';
import { PASS, type Passing, startProxy, type Treatment } from '../support/proxy.js';
import { between, chosen, type Draw, drawOf, weighted } from '../trading/campaign/draw.js';
import { Exchange, type Listed } from '../trading/campaign/exchange.js';
import { answer } from '../trading/campaign/http-answers.js';
import { documentOf, Program, type Run } from '../trading/campaign/program.js';

const [accounts = '5', seed = String(randomInt(1_000_000))] = process.argv.slice(2);
const MARKETS = ['btc_usdt', 'eth_usdt'] as const;
const SIDES = ['buy', 'sell'] as const;
const PAGE = 10;
const PAGES = { least: 3, most: 400 };
const LONGEST_LAG_MS = 3_000;
/** Between the clocks of the exchange and of this machine, and for what a command takes. */
const SLACK_MS = 1_000;
const COMMANDS = 12;
/** The exit code for what has an unknown outcome. */
const UNKNOWN = 6;
/** States of an order. */
const [CANCELLED, COMPLETED] = [1, 2];
/** Orders that are sent at once. */
const AT_ONCE = 32;

type Market = (typeof MARKETS)[number];

interface Document {
  readonly id: string;
  readonly orderId: string;
  readonly state: string;
}

/** One account at its own exchange. */
class Account {
  readonly #draw: Draw;
  readonly #home = mkdtempSync(path.join(tmpdir(), 'pit-old-accounts-'));
  readonly #seed: number;
  /** How far the lists are behind, in ms. */
  readonly #lagMs: number;
  #exchange!: Exchange;
  #program!: Program;
  /** What the exchange's clock is ahead of this machine's, in ms. */
  #aheadMs = 0;
  commands = 0;
  /** How many requests for a list of orders pit has sent. */
  #lists = 0;
  /** Profits and losses that were answered without a list of orders. */
  unread = 0;
  /** Cancellations that said that an earlier write has an unknown outcome. */
  unknown = 0;
  orders = 0;
  readonly broken: string[] = [];

  constructor(seed: number, index: number) {
    this.#draw = drawOf(seed, index);
    this.#seed = Math.floor(this.#draw() * 1_000_000);
    this.#lagMs = this.#draw() < 0.5 ? 0 : Math.round(between(this.#draw, 200, LONGEST_LAG_MS));
  }

  async run(): Promise<void> {
    const served = await serveProcess(this.#home, ['--no-limits', '--seed', String(this.#seed)]);
    this.#exchange = new Exchange(served.address, () => Date.now() + this.#aheadMs);
    const port = Number(new URL(served.address.baseUrl).port);
    const proxy = await startProxy({ port, treat: (request) => this.#treat(request) });
    this.#program = new Program(this.#home, served.address, proxy.url);
    try {
      for (const market of MARKETS) await this.#grow(market);
      for (let count = 0; count < COMMANDS; count += 1) {
        await this.#happen();
        await (this.#draw() < 0.3 ? this.#comparePnl() : this.#compare());
      }
    } finally {
      await proxy.close();
      this.#exchange.close();
      await killProcess(served);
      rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  /** Places the orders of a market's past, with some that stay open before, among and after them. */
  async #grow(market: Market): Promise<void> {
    const pages = Math.round(PAGES.least * (PAGES.most / PAGES.least) ** this.#draw());
    await this.#place(market, 3, 'open');
    await this.#place(market, pages * (PAGE / 2), 'closed');
    await this.#place(market, 2, 'open');
    await this.#place(market, pages * (PAGE / 2), 'closed');
    await this.#advance(between(this.#draw, 0, 600_000));
  }

  async #place(market: Market, count: number, kind: 'open' | 'closed'): Promise<void> {
    const { bid, ask } = await this.#exchange.best(market);
    const amount = market === 'btc_usdt' ? '0.001' : '0.01';
    const draws = Array.from({ length: count }, () => ({ isBuy: this.#draw() < 0.5, isFilled: this.#draw() < 0.6 }));
    const place = async ({ isBuy, isFilled }: (typeof draws)[number]) => {
      // far from the market nothing fills, and what may not rest is cancelled
      const isNear = kind === 'closed' && isFilled;
      const price = isBuy ? (isNear ? ask * 1.01 : bid * 0.97) : isNear ? bid * 0.99 : ask * 1.03;
      const values = { amount, currency: market, price: price.toFixed(2), tradeType: isBuy ? '1' : '0' };
      const body = await this.#exchange.ask('order', kind === 'closed' ? { ...values, orderType: '2' } : values);
      if (!body.startsWith('{"code":"1000"')) throw new Error(`the exchange did not take an order: ${body}`);
    };
    for (let start = 0; start < count; start += AT_ONCE)
      await Promise.all(draws.slice(start, start + AT_ONCE).map(place));
    this.orders += count;
  }

  async #advance(ms: number): Promise<void> {
    await this.#exchange.administer('/clock/advance', { ms: Math.round(ms) });
    this.#aheadMs += Math.round(ms);
    // learns the time
    await this.#program.run(['balance']);
  }

  async #happen(): Promise<void> {
    const draw = this.#draw;
    const market = chosen(draw, MARKETS);
    const { event } = weighted(draw, [
      { weight: 4, event: () => this.#place(market, Math.ceil(between(draw, 0, 25)), 'closed') },
      { weight: 4, event: () => this.#place(market, Math.ceil(between(draw, 0, 4)), 'open') },
      { weight: 3, event: () => this.#cancelElsewhere(market) },
      { weight: 2, event: () => this.#sendLate(market) },
      { weight: 3, event: () => this.#advance(between(draw, 0, 1_800_000)) },
      { weight: 1, event: async () => rmSync(path.join(this.#home, 'cache'), { recursive: true, force: true }) },
      { weight: 1, event: async () => this.#damage() },
      { weight: 1, event: () => this.#killReading(market) },
    ]);
    await event();
  }

  async #cancelElsewhere(market: Market): Promise<void> {
    const open = (await this.#listed(market)).filter(isOpen);
    if (open.length === 0) return;
    await this.#exchange.ask('cancelOrder', { currency: market, id: chosen(this.#draw, open).id });
  }

  /** An order of pit that is executed after pit has given up. */
  async #sendLate(market: Market): Promise<void> {
    const ms = Math.round(between(this.#draw, 1_000, 50_000));
    await this.#exchange.administer('/faults/add', { kind: 'late', operation: 'order', count: 1, delay: ms });
    await this.#program.run(['order', 'buy', market, '0.01', '--at', 'bid-3%', '--yes', '--timeout', '2']);
    await this.#advance(ms + SLACK_MS);
    this.orders += 1;
  }

  /** Cuts off a file of what pit has kept, or removes it. */
  #damage(): void {
    const folder = path.join(this.#home, 'cache', 'answers');
    let names: string[] = [];
    try {
      names = readdirSync(folder).filter((name) => name.startsWith('orders') || name.startsWith('pnl'));
    } catch {
      // nothing has been kept
    }
    if (names.length === 0) return;
    const file = path.join(folder, chosen(this.#draw, names));
    if (this.#draw() < 0.5) rmSync(file);
    else truncateSync(file, Math.floor(this.#draw() * 200));
  }

  async #killReading(market: Market): Promise<void> {
    const words = this.#draw() < 0.5 ? ['orders', market, '--refresh'] : ['pnl', market];
    const { child, done } = this.#program.start([...words, '--json']);
    await delay(between(this.#draw, 50, 1_500));
    child.kill('SIGKILL');
    await done;
  }

  async #compare(): Promise<void> {
    const market = chosen(this.#draw, MARKETS);
    const { words, check } = weighted(this.#draw, [
      { weight: 4, words: ['orders', market], check: this.#checkOpen },
      { weight: 3, words: ['orders', market, '--state', 'all', '--all'], check: this.#checkAll },
      { weight: 3, words: ['fills', market, '--all'], check: this.#checkFills },
      { weight: 1, words: ['cancel', market, '--all', '--yes'], check: this.#checkNoneOpen },
      { weight: 1, words: ['halt', '--cancel', '--yes'], check: this.#checkNoneOpen },
    ]);
    // what was listed late is listed now, or the command need not have it
    const before = await this.#listed(market);
    const beside = this.#draw() < 0.3 ? this.#program.run(['orders', market, '--json']) : undefined;
    const run = await this.#program.run([...words, '--json']);
    const other = await beside;
    const after = await this.#listed(market);
    const truth = { market, before, after, shownBefore: run.started + this.#aheadMs - this.#lagMs - SLACK_MS };
    this.commands += 1;
    // as long as a write may still be executed, nothing is said to be cancelled
    if (run.code === UNKNOWN && check === this.#checkNoneOpen) this.unknown += 1;
    else if (run.code !== 0) this.#complain(run, `exit code ${run.code}`);
    else check.call(this, run, truth);
    if (other !== undefined && other.code !== 0) this.#complain(other, `exit code ${other.code}`);
    if (words[0] === 'halt') await this.#program.run(['halt', '--lift', '--yes']);
    else if (other !== undefined && words[0] !== 'cancel') this.#checkOpen(other, truth);
  }

  /** What `pit pnl` shows by what it has kept, against all that the exchange lists, unless an order has filled meanwhile. */
  async #comparePnl(): Promise<void> {
    const draw = this.#draw;
    const named = draw() < 0.5 ? [] : [chosen(draw, MARKETS)];
    const words = ['pnl', ...named, ...(draw() < 0.7 ? [] : ['--method', 'lifo']), '--json'];
    // every list has what was placed before
    await delay(this.#lagMs + SLACK_MS);
    const before = await this.#exchange.balances();
    const runs: Run[] = [];
    for (let count = Math.ceil(between(draw, 0, 3)); count > 0; count -= 1) {
      const lists = this.#lists;
      const beside = draw() < 0.3 ? this.#program.run(['pnl', '--json']) : undefined;
      runs.push(await this.#program.run(words));
      await beside;
      if (this.#lists === lists) this.unread += 1;
    }
    const whole = await this.#program.run([...words, '--refresh']);
    const after = await this.#exchange.balances();
    this.commands += runs.length;
    for (const run of [...runs, whole]) if (run.code !== 0) this.#complain(run, `exit code ${run.code}`);
    if ([...before].some(([coin, amount]) => after.get(coin) !== amount)) return;
    const wanted = unpriced(whole);
    for (const run of runs) if (unpriced(run) !== wanted) this.#complain(run, `${unpriced(run)} is not ${wanted}`);
  }

  #checkOpen(run: Run, { before, after, shownBefore }: Truth): void {
    const ids = idsOf(run, 'id');
    const must = before.filter((order) => isOpen(order) && order.time <= shownBefore).map(({ id }) => id);
    const may = new Set(after.filter(isOpen).map(({ id }) => id));
    this.#expect(run, ids, must, may);
  }

  #checkAll(run: Run, { before, after, shownBefore }: Truth): void {
    const must = before.filter(({ time }) => time <= shownBefore).map(({ id }) => id);
    this.#expect(run, idsOf(run, 'id'), must, new Set(after.map(({ id }) => id)));
    const states = new Map(after.map((order) => [order.id, isOpen(order)]));
    for (const { id, state } of documentOf<Document[]>(run) ?? [])
      if ((state === 'open' || state === 'partiallyFilled') !== states.get(id))
        this.#complain(run, `${id} is not ${state}`);
  }

  #checkFills(run: Run, { before, after, shownBefore }: Truth): void {
    const isFilled = ({ status }: Listed) => status === COMPLETED;
    const must = before.filter((order) => isFilled(order) && order.time <= shownBefore).map(({ id }) => id);
    this.#expect(run, idsOf(run, 'orderId'), must, new Set(after.map(({ id }) => id)));
  }

  #checkNoneOpen(run: Run, { after, shownBefore }: Truth): void {
    for (const { id } of after.filter((order) => isOpen(order) && order.time <= shownBefore))
      this.#complain(run, `${id} is still open`);
  }

  /** Each once, with all that it must have and nothing that it may not. */
  #expect(run: Run, ids: readonly string[], must: readonly string[], may: ReadonlySet<string>): void {
    const found = new Set(ids);
    if (found.size !== ids.length) this.#complain(run, `${ids.length - found.size} more than once`);
    for (const id of must) if (!found.has(id)) this.#complain(run, `${id} is missing`);
    for (const id of found) if (!may.has(id)) this.#complain(run, `${id} should not be there`);
  }

  #complain({ words, stderr }: Run, what: string): void {
    this.broken.push(`pit ${words.join(' ')}, lists ${this.#lagMs} ms behind: ${what}\n  ${stderr.trim()}`);
  }

  async #listed(market: Market): Promise<Listed[]> {
    const sides = await Promise.all(SIDES.map((side) => this.#exchange.orders(market, side, 0)));
    return sides.flat();
  }

  #treat({ operation, parameters }: Passing): Treatment {
    if (operation === 'getOrders') this.#lists += 1;
    if (operation !== 'getOrders' || this.#lagMs === 0) return PASS;
    const make = async ([bytes = '']: readonly string[]) => (await this.#lagging(parameters)) ?? bytes;
    return { ...PASS, name: 'behind', reply: { kind: 'made', make, end: 'close' } };
  }

  /** The page as the exchange showed it a moment ago: without the newest orders, the others moved up. */
  async #lagging({ currency = '', pageIndex = '', tradeType = '' }: Passing['parameters']) {
    const latest = Date.now() + this.#aheadMs - this.#lagMs;
    const pageOf = async (page: number) => {
      const body = await this.#exchange.ask('getOrders', { currency, pageIndex: String(page), tradeType });
      return [...body.matchAll(/\{"id":"[^{}]*\}/g)].map(([text]) => text);
    };
    const isShown = (text: string) => Number(/"trade_date":(\d+)/.exec(text)?.[1]) <= latest;
    let hidden = 0;
    for (let page = 1; ; page += 1) {
      const rows = await pageOf(page);
      const shown = rows.findIndex(isShown);
      hidden += shown === -1 ? rows.length : shown;
      if (shown !== -1 || rows.length < PAGE) break;
    }
    if (hidden === 0) return undefined;
    const first = Math.floor(hidden / PAGE) + Number(pageIndex);
    const rows = [...(await pageOf(first)), ...(await pageOf(first + 1))];
    const skipped = hidden % PAGE;
    return answer('200 OK', `[${rows.slice(skipped, skipped + PAGE).join(',')}]`);
  }
}

/** What the exchange had before and after a command. */
interface Truth {
  readonly market: Market;
  readonly before: readonly Listed[];
  readonly after: readonly Listed[];
  /** An order that was placed at this time or before was listed when the command began, in ms by the exchange's clock. */
  readonly shownBefore: number;
}

function isOpen({ status }: Listed): boolean {
  return status !== CANCELLED && status !== COMPLETED;
}

/** What a profit and loss shows, but for what follows from the prices of the moment. */
function unpriced(run: Run): string {
  return JSON.stringify(documentOf<object[]>(run), (name, value) =>
    ['price', 'unrealised', 'net'].includes(name) ? undefined : value,
  );
}

function idsOf(run: Run, field: 'id' | 'orderId'): string[] {
  return (documentOf<Document[]>(run) ?? []).map((row) => row[field]);
}

process.stdout.write(`seed ${seed}, ${accounts} accounts\n`);
const start = performance.now();
let [commands, orders, unknown, unread, broken] = [0, 0, 0, 0, 0];
for (let index = 0; index < Number(accounts); index += 1) {
  const account = new Account(Number(seed), index);
  await account.run();
  for (const complaint of account.broken) process.stdout.write(`account ${index}: ${complaint}\n`);
  commands += account.commands;
  orders += account.orders;
  unknown += account.unknown;
  unread += account.unread;
  broken += account.broken.length;
}
process.stdout.write(
  `${accounts} accounts, ${orders} orders, ${commands} commands compared, ${unread} of them profits without a list of orders, ${unknown} cancellations beside a write of unknown outcome: ${broken} broken (${((performance.now() - start) / 1_000).toFixed(0)} s)\n`,
);
process.exit(broken === 0 ? 0 : 1);
