import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Decimal } from '../../../src/domain/decimal.js';
import type { AdminCallName } from '../../../src/sandbox/admin/calls.js';
import { type RequestFault, requestFault, type StreamFault } from '../../../src/sandbox/faults/rules.js';
import { administer } from '../../../src/sandbox/lifecycle/admin-client.js';
import { sandboxFiles } from '../../../src/sandbox/lifecycle/files.js';
import { MARKETS } from '../../../src/sandbox/markets/market.js';
import { UNLIMITED } from '../../../src/sandbox/server/limits.js';
import { STALE_MS } from '../../../src/trading/algos/plan/algo-market.js';
import { exitSideOf } from '../../../src/trading/algos/plan/terms.js';
import { parentOf } from '../../../src/trading/algos/record/child-name.js';
import { type AlgoFact, decodeFact } from '../../../src/trading/algos/record/facts.js';
import { AlgoStore } from '../../../src/trading/algos/record/store.js';
import {
  type AlgoRun,
  judgeAlgoReport,
  judgeAlgoRun,
  type LoggedOrder,
  type VerdictTerms,
} from '../../support/algo-verdict.js';
import { startInProcess } from '../../support/in-process.js';
import { type DrawnKind, drawTerms, KINDS, marketOf } from './algos/draw-terms.js';
import { ExchangeLog, type LoggedChild } from './algos/exchange-log.js';
import { type Span, Watchers } from './algos/watchers.js';
import { between, chosen, type Draw, drawOf } from './draw.js';
import { Exchange } from './exchange.js';
import { READ_FAULTS, WRITE_FAULTS } from './sandbox-faults.js';

// Algo orders on the sandbox, watched by processes that are killed at every step, while prices move, requests fail, the stream is cut, the
// account is halted, rules change and others cancel orders. The verdict is read from the exchange's own log. What pit says is held against it too.

export interface AlgoCampaignOptions {
  readonly seed: number;
  /** How many algo orders. */
  readonly count: number;
  /** How many share an exchange and its watching processes. */
  readonly perRound: number;
  /** The one round to run, counted from 0. Absent: all. */
  readonly only?: number | undefined;
  readonly tell: (line: string) => void;
}

export class AlgoCampaign {
  algos = 0;
  orders = 0;
  duplicates = 0;
  readonly kinds = new Map<string, number>();
  readonly outcomes = new Map<string, number>();
  readonly deaths = new Map<string, number>();
  /** What others did, and how often. */
  readonly disturbances = new Map<string, number>();
  /** Why stops did not have to act for a time, and how often. */
  readonly excused = new Map<string, number>();
  readonly faults: string[] = [];
}

/** So many processes die in a round, within this time in ms at most. */
const DEATHS = 12;
const WILD_MS = 90_000;
/** A test cannot wait a minute for each lost order. It is longer than a look at the market may take, so that no loss hides that nobody looks. */
const TOLERANCE_MS = 15_000;
/** How soon a price that is reached, and stays so, has to be found, whatever became of the orders. */
const PROMPT_MS = 5_000;
/** After a process has said that it watches, the first book may take this long. */
const FIRST_BOOK_MS = 3_000;
/** How long single orders cannot be read, while everything else answers. */
const UNREADABLE_MS = 12_000;
/** How long the calm end of a round may take at most, in ms: it ends as soon as nothing is left to do. */
const CALM_MS = 240_000;
/** How soon a stop has to act in a market that is seen, on a machine that is quick enough. */
const GRACE_MS = 20_000;
/** With requests that fail, the outcome of the take-profit's cancellation may have to be found first. */
const FAULTY_GRACE_MS = 60_000;
const SPEED = 10;

export async function algoCampaign({ seed, count, perRound, only, tell }: AlgoCampaignOptions): Promise<AlgoCampaign> {
  const total = new AlgoCampaign();
  const rounds = Math.ceil(count / perRound);
  for (const round of only === undefined ? Array(rounds).keys() : [only]) {
    const began = Date.now();
    const known = total.faults.length;
    const size = Math.min(perRound, count - round * perRound);
    await new Round(drawOf(seed, 'algos', round), size, round, total).run();
    for (const fault of total.faults.slice(known)) tell(fault);
    const seconds = Math.round((Date.now() - began) / 1_000);
    tell(
      `round ${round}: ${total.algos} algo orders, ${total.orders} orders, ${total.faults.length} faults; ${seconds} s`,
    );
  }
  return total;
}

class Round {
  readonly #draw: Draw;
  readonly #size: number;
  readonly #round: number;
  readonly #total: AlgoCampaign;
  readonly #home = mkdtempSync(path.join(tmpdir(), 'pit-algos-'));
  readonly #store = new AlgoStore(HOST, path.join(this.#home, 'state'), 'sandbox');
  readonly #isFaulty: boolean;
  /** The exchange's clock runs this much faster than the machine's. */
  readonly #speed: number;
  readonly #kinds = new Map<string, string>();
  readonly #cancelledByOthers = new Set<string>();
  readonly #halted: Span[] = [];
  readonly #barred: (Span & { readonly asked: number; readonly lifted: number })[] = [];
  readonly #paused = new Map<string, Span[]>();
  /** The slowest answer of a command in this process, in ms: how slow the machine is. */
  #slowestMs = 0;
  /** While the user had paused single algo orders: from the moment at which the command had returned. */
  readonly #pausedAt = new Map<string, Span[]>();
  /** The markets whose price stays where a stop is reached. */
  readonly #still = new Set<string>();
  /** When faults and kills ended, by the exchange's clock. */
  #calmSince = Number.POSITIVE_INFINITY;
  #log!: ExchangeLog;
  #exchange!: Exchange;
  #watchers!: Watchers;
  #start = new Map<string, { readonly bid: string; readonly ask: string }>();

  constructor(draw: Draw, size: number, round: number, total: AlgoCampaign) {
    this.#draw = draw;
    this.#size = size;
    this.#round = round;
    this.#total = total;
    this.#isFaulty = round % 3 !== 2;
    this.#speed = round % 4 === 3 ? SPEED : 1;
  }

  async run(): Promise<void> {
    const { directory } = sandboxFiles({ state: path.join(this.#home, 'state') });
    const seed = Math.floor(this.#draw() * 2 ** 31);
    const { running, log } = await ExchangeLog.serve({
      ...{ directory, port: 0, seed, limits: UNLIMITED, tolerance: TOLERANCE_MS, idleMs: null, historyMs: 3_600_000 },
    });
    this.#log = log;
    this.#exchange = new Exchange(running.address);
    const call = (name: AdminCallName, input: object) => administer(running.address, name, input, 60_000);
    try {
      await this.#prepare(call);
      this.#watchers = new Watchers(this.#home, () => log.now());
      this.#create(Math.ceil(this.#size / 2));
      if (this.#isFaulty) await addFaults(call);
      await this.#disturb(call);
      await call('POST /faults/clear', {});
      await this.#watchers.calmly(() => this.#comeToAnEnd(call));
      await this.#watchers.close();
      await this.#judge();
    } finally {
      await this.#watchers?.close();
      this.#exchange.close();
      await running.close();
      rmSync(this.#home, { recursive: true, force: true, maxRetries: 5 });
    }
  }

  async #prepare(call: AdminCall): Promise<void> {
    await this.#pit('profile', 'set', 'sandbox', 'reqTimeTolerance', `${TOLERANCE_MS / 1_000}s`);
    for (const limit of ['orderNotional', 'dayNotional', 'priceBand'])
      await this.#pit('profile', 'set', 'sandbox', limit, 'off');
    if (this.#speed !== 1) await call('POST /clock/speed', { speed: this.#speed });
    await call('POST /deposit', { coin: 'usdt', amount: '1000000' });
    for (const market of MARKETS.keys()) {
      const { bid, ask } = this.#log.current(market);
      if (bid === null || ask === null) throw new Error(`${market} has no prices`);
      this.#start.set(market, { bid, ask });
    }
  }

  /** As `pit order` does it. */
  #create(count: number): void {
    for (let made = 0; made < count; made += 1) {
      const kind = KINDS[(this.#kinds.size + this.#round * this.#size) % KINDS.length] as DrawnKind;
      const market = chosen(this.#draw, [...MARKETS.keys()]);
      const { bid, ask } = this.#log.current(market);
      if (bid === null || ask === null) continue;
      const terms = drawTerms(this.#draw, kind, marketOf(market), { bid, ask });
      const prices = { bid: Decimal.of(bid), ask: Decimal.of(ask) };
      const id = this.#store.create((name) => ({
        fact: 'began',
        time: this.#log.now(),
        terms: { ...terms, id: name },
        ...prices,
      }));
      this.#kinds.set(id, kind.name);
    }
  }

  async #disturb(call: AdminCall): Promise<void> {
    const until = Date.now() + WILD_MS;
    const isWild = { now: true };
    const creating = (async () => {
      while (this.#kinds.size < this.#size) {
        await delay(2_000);
        this.#create(Math.min(Math.ceil(this.#size / 10), this.#size - this.#kinds.size));
      }
    })();
    await Promise.all([
      this.#watchers.disturb(DEATHS, until, this.#draw).finally(() => {
        isWild.now = false;
      }),
      creating,
      this.#movePrices(call, isWild),
      this.#cancelOrders(isWild),
      this.#pauseAndResume(isWild),
      this.#pauseAtTheStop(call, isWild),
      this.#holdAtTheStop(call, isWild),
      ...(this.#isFaulty ? [this.#hideOrders(call, isWild)] : []),
      this.#changeRules(call, isWild),
      this.#halt(isWild),
    ]);
  }

  async #movePrices(call: AdminCall, isWild: Wild): Promise<void> {
    while (isWild.now) {
      const market = chosen(this.#draw, [...MARKETS.keys()]);
      const share = between(this.#draw, 0.972, 1.028);
      if (!this.#still.has(market)) await this.#move(call, market, share, Math.round(between(this.#draw, 0, 800)));
      await delay(between(this.#draw, 50, 500));
    }
  }

  #move(call: AdminCall, market: string, share: number, ms: number): Promise<unknown> {
    const { bid } = this.#start.get(market) ?? { bid: '0' };
    const { priceScale } = marketOf(market);
    const price = Decimal.of(bid)
      .times(Decimal.of(share.toFixed(5)))
      .rescaled(priceScale, 'up')
      .toString();
    return call('POST /price', { market, price, ms: ms * this.#speed });
  }

  /** Another program of the account cancels open orders now and then. */
  async #cancelOrders(isWild: Wild): Promise<void> {
    while (isWild.now) {
      await delay(between(this.#draw, 1_000, 4_000));
      const open = this.#log.children().filter(({ closed }) => closed === null);
      if (open.length > 0) await this.#cancelAsOthers(chosen(this.#draw, open));
    }
  }

  async #cancelAsOthers({ id, market }: LoggedChild): Promise<void> {
    const body = await this.#exchange.ask('cancelOrder', { currency: market, id }).catch(() => '');
    // without an answer nobody knows who has cancelled it, or whether it was filled
    if (!body.includes('"code":"1000"')) return;
    this.#cancelledByOthers.add(id);
    this.#disturbed('an order cancelled by others');
  }

  /** The user pauses, resumes and cancels single algo orders. */
  async #pauseAndResume(isWild: Wild): Promise<void> {
    while (isWild.now) {
      await delay(between(this.#draw, 2_000, 5_000));
      const open = this.#store.openIds();
      if (open.length === 0) continue;
      const id = chosen(this.#draw, open);
      if (this.#draw() < 0.3) {
        this.#disturbed('an algo order cancelled by the user');
        await this.#pit('algo', 'cancel', id, '--yes', '--timeout', '5');
        continue;
      }
      const from = this.#log.now();
      await this.#pit('algo', 'pause', id);
      await delay(between(this.#draw, 1_000, 3_000));
      await this.#pit('algo', 'resume', id);
      this.#paused.set(id, [...(this.#paused.get(id) ?? []), { from, to: this.#log.now() }]);
      this.#disturbed('an algo order paused by the user');
    }
  }

  /** The user pauses an algo order just when its stop is reached. Nothing leaves once the command has returned. */
  async #pauseAtTheStop(call: AdminCall, isWild: Wild): Promise<void> {
    while (isWild.now) {
      await delay(between(this.#draw, 3_000, 7_000));
      const armed = this.#store.openIds().filter((id) => {
        const facts = this.#store.read(id)?.facts;
        return facts?.exitTriggered === null && facts.began.terms.exits?.stop != null && facts.paused === null;
      });
      if (armed.length === 0) continue;
      const id = chosen(this.#draw, armed);
      const terms = this.#store.read(id)?.facts?.began.terms;
      if (terms?.exits?.stop == null) continue;
      const price = terms.exits.stop.toString();
      if (this.#still.has(terms.market.market)) continue;
      await call('POST /price', { market: terms.market.market, price, ms: 0 });
      await delay(between(this.#draw, 0, 50));
      const code = await this.#pit('algo', 'pause', id);
      const from = this.#log.now();
      await delay(between(this.#draw, 1_000, 3_000));
      const to = this.#log.now();
      await this.#pit('algo', 'resume', id);
      if (code !== 0) continue;
      this.#pausedAt.set(id, [...(this.#pausedAt.get(id) ?? []), { from, to }]);
      this.#disturbed('an algo order paused at its stop');
    }
  }

  /** A price stays where a stop is reached for longer than it may take to be noticed: soon after an order has left, whatever became of that. */
  async #holdAtTheStop(call: AdminCall, isWild: Wild): Promise<void> {
    while (isWild.now) {
      await delay(between(this.#draw, 500, 3_000));
      const armed = this.#store.openIds().flatMap((id) => {
        const record = this.#store.read(id);
        const stop = record?.facts?.began.terms.exits?.stop ?? null;
        const isArmed = record?.facts?.exitTriggered === null && record.facts.paused === null;
        return stop === null || !isArmed || record.children.length === 0
          ? []
          : { stop, ...record.facts.began.terms.market };
      });
      if (armed.length === 0) continue;
      const { stop, market } = chosen(this.#draw, armed);
      this.#still.add(market);
      await call('POST /price', { market, price: stop.toString(), ms: 0 });
      await delay(PROMPT_MS + between(this.#draw, 2_000, 5_000));
      this.#still.delete(market);
      this.#disturbed('a price that stays at a stop');
    }
  }

  /** The exchange takes a decimal from the prices of a market: what pit knows of it is an hour old for most of its orders. */
  async #changeRules(call: AdminCall, isWild: Wild): Promise<void> {
    await delay(between(this.#draw, 5_000, WILD_MS / 2));
    if (!isWild.now) return;
    const { market, priceScale } = marketOf(chosen(this.#draw, [...MARKETS.keys()]));
    await call('POST /rules', { market, priceScale: priceScale - 1 });
    this.#disturbed('rules of a market that change');
  }

  /** Single orders cannot be read, while lists, pushes and answers show them. */
  async #hideOrders(call: AdminCall, isWild: Wild): Promise<void> {
    while (isWild.now) {
      await delay(between(this.#draw, 8_000, 16_000));
      const fault = { kind: 'error-before', operation: 'getOrder' };
      const { id } = (await call('POST /faults/add', fault)) as { readonly id: number };
      await delay(between(this.#draw, UNREADABLE_MS / 2, UNREADABLE_MS));
      // all are cleared when the round calms down
      await call('POST /faults/clear', { id }).catch(() => undefined);
      this.#disturbed('getOrder failing alone');
    }
  }

  async #halt(isWild: Wild): Promise<void> {
    await delay(between(this.#draw, 6_000, 20_000));
    if (!isWild.now) return;
    const from = this.#log.now();
    const code = await this.#pit('halt', '--reason', 'the campaign');
    const halted = this.#log.now();
    await delay(between(this.#draw, 2_000, 6_000));
    const lifted = this.#log.now();
    await this.#pit('halt', '--lift', '--confirm', 'sandbox');
    await delay(1_000);
    const resumed = this.#log.now();
    await this.#pit('algo', 'resume', '--all', '--yes');
    this.#halted.push({ from, to: this.#log.now() });
    // what had left before the halt may arrive until its request has expired; 0: nothing was on its way
    const slackMs = code === 0 ? 0 : 2 * TOLERANCE_MS * this.#speed;
    this.#barred.push({ asked: from, from: halted + slackMs, lifted, to: resumed });
    this.#disturbed('the account halted');
  }

  /** Everything is resumed, and every stop is reached; what then rests is cancelled. */
  async #comeToAnEnd(call: AdminCall): Promise<void> {
    // while its clock runs faster, the exchange takes requests of any age, so that no lost one is ever known not to arrive
    if (this.#speed !== 1) await call('POST /clock/speed', { speed: 1 });
    this.#calmSince = this.#log.now();
    await this.#resumeAll();
    for (const [side, share] of [
      ['sell', 0.945],
      ['buy', 1.055],
    ] as const) {
      for (const market of MARKETS.keys()) await this.#move(call, market, share, 500);
      // the price is the same for long enough to judge
      await this.#until(() => this.#unmoved(side).length === 0, 1.5 * this.#graceMs());
    }
    for (const id of this.#store.openIds()) this.#cancelIfOpen(id);
    await this.#until(() => this.#store.openIds().every((id) => this.#store.read(id)?.facts?.ended !== null), CALM_MS);
  }

  #cancelIfOpen(id: string): void {
    try {
      this.#store.add(id, { fact: 'cancelled', time: this.#log.now(), reason: 'the campaign ends' });
    } catch (error) {
      // it has ended meanwhile
      if (this.#store.openIds().includes(id)) throw error;
    }
  }

  /** What pit has paused is resumed, as its user would, and orders that may be duplicates are cancelled, as pit asks for it. */
  async #resumeAll(): Promise<void> {
    await this.#pit('algo', 'resume', '--all', '--yes');
    for (const order of this.#log.children())
      if (order.closed === null && this.#isDuplicate(order)) await this.#cancelAsOthers(order);
  }

  /** The algo orders with a stop on a side that has not acted. */
  #unmoved(side: 'buy' | 'sell'): string[] {
    return this.#store.openIds().filter((id) => {
      const facts = this.#store.read(id)?.facts;
      if (facts === undefined || facts.ended !== null || facts.cancelled !== null) return false;
      const { terms } = facts.began;
      const hasStop = terms.exits !== null && (terms.exits.stop !== null || terms.exits.trail !== null);
      if (!hasStop || exitSideOf(terms) !== side) return false;
      const own = this.#log.children().filter(({ clientId }) => parentOf(clientId) === id);
      const hasPosition =
        terms.entry === null || own.some((order) => order.side === terms.side && order.fills.length > 0);
      return hasPosition && facts.exitTriggered === null;
    });
  }

  async #until(isDone: () => boolean, ms: number): Promise<void> {
    const end = Date.now() + ms;
    let next = Date.now() + 5_000;
    while (Date.now() < end && !isDone()) {
      await delay(500);
      if (Date.now() < next) continue;
      next = Date.now() + 10_000;
      await this.#resumeAll();
    }
  }

  /** On a machine that is slow, everything has more time. In ms of the machine's clock. */
  #graceMs(): number {
    return (this.#isFaulty ? FAULTY_GRACE_MS : GRACE_MS) + 10 * this.#slowestMs;
  }

  async #pit(...words: readonly string[]): Promise<number> {
    const { code } = await this.#ask(...words);
    return code;
  }

  async #ask(
    ...words: readonly string[]
  ): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
    const began = performance.now();
    // no process in the background: this campaign runs those that watch
    const host = { self: { command: 'false', arguments: [] } };
    const started = startInProcess([...words, '--json'], { PIT_HOME: this.#home }, { host });
    const code = await started.ended;
    if (words[0] === 'profile') this.#slowestMs = Math.max(this.#slowestMs, performance.now() - began);
    return { code, ...started.printed };
  }

  #disturbed(what: string): void {
    count(this.#total.disturbances, what);
  }

  #isDuplicate({ id, clientId }: LoggedChild): boolean {
    return this.#log.children().some((one) => one.clientId === clientId && BigInt(one.id) < BigInt(id));
  }

  async #judge(): Promise<void> {
    const total = this.#total;
    const { stdout, stderr } = await this.#ask('algo', 'list', '--all', '--timeout', '120');
    if (stdout === '') throw new Error(`pit algo list: ${stderr}`);
    const reports = new Map((JSON.parse(stdout) as ListedAlgo[]).map((one) => [one.id, one]));
    const children = this.#log.children();
    for (const [id, kind] of this.#kinds) {
      const say = (what: string) => total.faults.push(`round ${this.#round} ${id} ${kind}: ${what}`);
      const own = children.filter(({ clientId }) => parentOf(clientId) === id);
      const run = this.#runOf(id, own);
      const report = reports.get(id);
      const record = this.#store.read(id);
      total.algos += 1;
      total.orders += own.length;
      total.duplicates += run.orders.filter(({ isDuplicate }) => isDuplicate).length;
      count(total.kinds, kind);
      count(total.outcomes, report?.state ?? 'none');
      if (report === undefined || record === undefined) {
        say('it is not listed');
        continue;
      }
      if (run.ended === null) say(`it has not ended: ${report.state}, ${report.reason}`);
      const texts = [report.reason ?? '', ...record.said.map(({ said }) => said)];
      const orders = new Map(report.children.map((order) => [order.id, order.filled]));
      const told = { orders, texts, filled: report.filled, state: report.state };
      const found = [...judgeAlgoRun(run), ...judgeAlgoReport(run, told)];
      for (const { fault, at } of found) say(`${fault}: ${at}`);
      if (found.length > 0 || run.ended === null) say(this.#storyOf(id, own));
    }
    const strangers = this.#watchers.errors.split('\n').filter((line) => /defect|internal|Error:/.test(line));
    for (const line of new Set(strangers)) total.faults.push(`round ${this.#round}: ${line}`);
    for (const overlap of this.#watchers.overlaps)
      total.faults.push(`round ${this.#round}: two processes worked at once: ${overlap}`);
    for (const [how, times] of this.#watchers.deaths) count(total.deaths, how, times);
  }

  #runOf(id: string, own: readonly LoggedChild[]): AlgoRun {
    const facts = this.#factsOf(id);
    const began = facts.find((fact) => fact.fact === 'began');
    const ended = facts.find((fact) => fact.fact === 'ended');
    const entry = facts.find((fact) => fact.fact === 'triggered' && fact.leg === 'entry');
    if (began?.fact !== 'began') throw new Error(`${id} never began`);
    const graceMs = this.#graceMs() * this.#speed;
    const end = ended?.time ?? this.#log.now();
    const orders = own.map((order): LoggedOrder => {
      const isDuplicate = this.#isDuplicate(order);
      return { ...order, isDuplicate, cancelledBy: this.#cancelledByOthers.has(order.id) ? 'others' : 'owner' };
    });
    const unwatched = this.#watchers.unwatched;
    const triggered = facts.find((fact) => fact.fact === 'triggered' && fact.leg === 'exit');
    return {
      terms: JSON.parse(
        JSON.stringify(began.terms, (_, value) => (value instanceof Decimal ? value.toString() : value)),
      ) as VerdictTerms,
      ...{ began: began.time, started: entry?.time ?? began.time, ended: ended?.time ?? null },
      path: this.#log.path(began.terms.market.market, began.time),
      ...{ orders, unseen: unwatched, graceMs, staleMs: STALE_MS * this.#speed },
      toleranceMs: (2_500 + 3 * this.#slowestMs) * this.#speed,
      held: [
        ...unwatched,
        ...this.#excusedOf(facts, end),
        ...this.#duplicateSpans(orders, end),
        ...this.#unknownSpans(id, own, began.time),
      ],
      barred: [...this.#barredOf(facts, began.time), ...this.#pausedOf(id, facts)],
      triggered: triggered?.time ?? null,
      newPriceScale: facts.findLast((fact) => fact.fact === 'rules')?.market.priceScale ?? null,
      promptMs: (PROMPT_MS + 10 * this.#slowestMs) * this.#speed,
      inattentive: [
        ...unwatched.map(({ from, to }) => ({ from, to: to + FIRST_BOOK_MS * this.#speed })),
        ...facts.flatMap((fact, index): Span[] => {
          if (fact.fact === 'cancelled') return [{ from: fact.time, to: end }];
          if (fact.fact !== 'paused') return [];
          return [{ from: fact.time, to: facts.slice(index).find((later) => later.fact === 'resumed')?.time ?? end }];
        }),
      ],
    };
  }

  /**
   * When it had to place nothing: from a halt until the first resume. A halt need not pause an algo order that is made after it began.
   */
  #barredOf(facts: readonly AlgoFact[], began: number): Span[] {
    const resumed = facts.flatMap((fact) => (fact.fact === 'resumed' ? [fact.time] : []));
    return this.#barred.map(({ asked, from, lifted, to }) => ({
      from,
      to: Math.min(began > asked ? lifted : to, ...resumed.filter((time) => time > from)),
    }));
  }

  /** When it was paused at its stop, until somebody resumed it. */
  #pausedOf(id: string, facts: readonly AlgoFact[]): Span[] {
    return (this.#pausedAt.get(id) ?? []).map(({ from, to }) => {
      const paused = facts.findLast((fact) => fact.fact === 'paused' && fact.time <= from)?.time ?? from;
      const resumed = facts.flatMap((fact) => (fact.fact === 'resumed' && fact.time > paused ? [fact.time] : []));
      return { from, to: Math.min(to, ...resumed) };
    });
  }

  /** When it did not have to act: halted, paused, or being cancelled. Each is counted. */
  #excusedOf(facts: readonly AlgoFact[], end: number): Span[] {
    return facts.flatMap((fact, index): Span[] => {
      if (fact.fact === 'cancelled') return [{ from: fact.time, to: end }];
      if (fact.fact !== 'paused') return [];
      const isKnown = fact.cause === 'user' || fact.cause === 'halt';
      count(this.#total.excused, isKnown ? fact.cause : `${fact.cause}: ${fact.reason.replace(/[\d.,]+/g, 'N')}`);
      return [{ from: fact.time, to: facts.slice(index).find((later) => later.fact === 'resumed')?.time ?? end }];
    });
  }

  /** An order that may be the user's holds a stop back until the user has cancelled it. */
  #duplicateSpans(orders: readonly LoggedOrder[], end: number): Span[] {
    return orders
      .filter(({ isDuplicate }) => isDuplicate)
      .map(({ placed, closed }) => ({ from: placed, to: closed ?? end }));
  }

  /** While the exchange's clock ran faster, the outcome of a request that never arrived could not be known. */
  #unknownSpans(id: string, own: readonly LoggedChild[], began: number): Span[] {
    if (this.#speed === 1) return [];
    const named = this.#store.read(id)?.children ?? [];
    if (named.every((child) => own.some(({ clientId }) => clientId === child.clientId))) return [];
    count(this.#total.excused, 'a lost request while the clock ran faster');
    return [{ from: began, to: this.#calmSince + TOLERANCE_MS }];
  }

  #factsOf(id: string): AlgoFact[] {
    return this.#linesOf(id).flatMap((line) => decodeFact(line) ?? []);
  }

  #linesOf(id: string): string[] {
    const folder = path.join(this.#home, 'state', 'algos', 'sandbox');
    for (const name of ['open', 'ended'])
      for (const file of readdirSync(path.join(folder, name)))
        if (file === id || file.endsWith(`~${id}`))
          return readFileSync(path.join(folder, name, file), 'utf8')
            .split('\n')
            .filter((line) => line !== '');
    return [];
  }

  /** All that is known of one that went wrong, by time since it began. */
  #storyOf(id: string, own: readonly LoggedChild[]): string {
    const lines = this.#linesOf(id);
    const [first] = this.#factsOf(id);
    const began = first?.time ?? 0;
    const market = first?.fact === 'began' ? first.terms.market.market : '';
    const at = (time: number) => `+${((time - began) / 1_000).toFixed(1)}`;
    const facts = lines.map((line) => {
      const time = /"time":(\d{13})/.exec(line)?.[1];
      return { time: Number(time ?? 0), text: line.replace(/"market":\{[^}]*\},?/, '') };
    });
    const orders = own.flatMap((order) => [
      {
        time: order.placed,
        text: `EXCHANGE: ${order.clientId} ${order.id} placed ${order.side} ${order.amount} at ${order.price} ${order.type}`,
      },
      ...order.fills.map(({ time, amount }) => ({ time, text: `EXCHANGE: ${order.id} fills ${amount}` })),
      ...(order.closed === null
        ? []
        : [
            {
              time: order.closed,
              text: `EXCHANGE: ${order.id} closed${this.#cancelledByOthers.has(order.id) ? ' by others' : ''}`,
            },
          ]),
    ]);
    const spans = [
      ...this.#watchers.unwatched.map(({ from, to }) => ({ time: from, text: `unwatched until ${at(to)}` })),
    ];
    let shown = '';
    const prices = this.#log.path(market, began).flatMap(({ time, bid, ask, last }) => {
      const text = `${bid} / ${ask} last ${last}`;
      if (text === shown) return [];
      shown = text;
      return [{ time, text }];
    });
    const sparse = prices.filter((_, index) => index % Math.max(1, Math.floor(prices.length / 60)) === 0);
    const all = [...facts, ...orders, ...spans.filter(({ time }) => time > began - 60_000), ...sparse];
    const events = this.#watchers.lines
      .filter((line) => line.includes(`"id":"${id}"`))
      .map((line) => {
        const { time, event, text } = JSON.parse(line) as { time: string; event: string; text: string };
        return { time: Date.parse(time), text: `PIT: ${event}: ${text}` };
      });
    return [...all, ...events]
      .sort((one, other) => one.time - other.time)
      .map(({ time, text }) => `\n    ${at(time)} ${text}`)
      .join('');
  }
}

/** Whether prices move, orders are cancelled and processes die. */
type Wild = { readonly now: boolean };

type AdminCall = (name: AdminCallName, input: object) => Promise<unknown>;

/** What `pit algo list --all --json` says. */
interface ListedAlgo {
  readonly id: string;
  readonly state: string;
  readonly reason: string | null;
  readonly filled: string;
  readonly children: readonly { readonly id: string; readonly filled: string }[];
}

const HOST = {
  now: Date.now,
  randomBytes: (size: number) => crypto.getRandomValues(new Uint8Array(size)),
};

/** How often a write meets a fault. */
function probabilityOf(kind: RequestFault): number {
  if (kind === 'skew') return 0.01;
  const { sends, executions } = requestFault(kind);
  // a request that is reset before it arrives, or whose answer is lost: only time shows what became of it
  const isLoss = sends === 'nothing' && executions < 2;
  return isLoss ? 0.06 : 0.02;
}

const STREAM_FAULTS: Readonly<Record<StreamFault, { readonly probability: number; readonly delay?: number }>> = {
  'stream-cut': { probability: 0.001 },
  'stream-garbage': { probability: 0.001 },
  'stream-drop': { probability: 0.01 },
  'stream-duplicate': { probability: 0.01 },
  'stream-reorder': { probability: 0.01 },
  'stream-delay': { delay: 3_000, probability: 0.002 },
  'stream-stale': { probability: 0.0005 },
};

/** Every fault of the sandbox, in requests and in the stream. */
async function addFaults(call: AdminCall): Promise<void> {
  const add = (fault: object) => call('POST /faults/add', fault);
  for (const operation of ['order', 'cancelOrder'])
    for (const fault of WRITE_FAULTS) await add({ ...fault, operation, probability: probabilityOf(fault.kind) });
  for (const operation of ['getOrder', 'getOrders', 'depth', 'trades', 'kline'])
    for (const fault of READ_FAULTS) await add({ ...fault, operation, probability: 0.02 });
  for (const [kind, fault] of Object.entries(STREAM_FAULTS)) await add({ kind, ...fault });
}

function count(counts: Map<string, number>, what: string, times = 1): void {
  counts.set(what, (counts.get(what) ?? 0) + times);
}
