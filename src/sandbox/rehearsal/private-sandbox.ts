import path from 'node:path';
import { Decimal } from '../../domain/decimal.js';
import type { OrderUpdate } from '../../exchange/channels/orders.js';
import { boundedLog } from '../../platform/files/bounded-log.js';
import { makeOwnFolder } from '../../platform/files/private-files.js';
import { FIRST_ACCOUNT, type Secrets } from '../accounts/accounts.js';
import { topics } from '../exchange/changes.js';
import { SandboxExchange } from '../exchange/exchange.js';
import { Faults, type FaultyReply } from '../faults/faults.js';
import type { FaultEntry } from '../faults/log.js';
import { FAULT_KINDS, type FaultKind, type FaultRule } from '../faults/rules.js';
import type { MarketRules } from '../markets/market.js';
import type { AccountOrder } from '../orders/order.js';
import { recordOf } from '../orders/order.js';
import type { CandleEvent, TapeEvent, TradeEvent } from '../replay/tape-event.js';
import { Activity, interfaceRequestListener, type Listener, listen } from '../server/http.js';
import { STREAMS } from '../server/interface-details.js';
import { DOCUMENTED_LIMITS, keptLimits, type RateLimitValues, UNLIMITED } from '../server/limits.js';
import { statusOf } from '../server/operations/trading.js';
import { type ApiResponse, RequestHandler } from '../server/request-handler.js';
import { StreamServer } from '../streams/stream-server.js';

export interface PrivateSandboxOptions {
  /** A folder of its own, which the caller removes. */
  readonly directory: string;
  readonly keys: Secrets;
  /** When the tape begins, in ms since the Unix epoch: the clock stands there until {@link PrivateSandbox.start}. */
  readonly time: number;
  /** The markets of the tape, which are all that there are, and their rules as far as the tape has them. */
  readonly markets: readonly string[];
  readonly rules: readonly MarketRules[];
  /** What the account has, by coin. Absent: what every sandbox gives. */
  readonly funds: Readonly<Record<string, string>> | undefined;
  readonly faults: readonly FaultKind[];
  /** How long orders and pushes take by the exchange's clock, in ms. */
  readonly latencyMs: number;
  /** The clock that the exchange's clock follows. */
  readonly now: () => number;
  /** Waits by that clock. */
  readonly sleep: (ms: number) => Promise<unknown>;
}

/** A fault applies to every so many requests or frames. */
const FAULT_EVERY = 10;
/** The parameters of the faults. The skew is more than a request may be off. */
const USUAL_MS = { delay: 3_000, skew: -90_000 } as const;
/** The same faults in each rehearsal. */
const SEED = 1;
/** So many orders that have changed are known of a market. */
const MOST_CHANGED = 1_000;

/** What a fault did: to how many requests or frames it was applied, and how many writes were executed all the same. */
export interface FaultCount {
  readonly kind: FaultKind;
  readonly applied: number;
  readonly executed: number;
}

/** The answer to a request, and how far its date is off, in ms. */
export interface ServedAnswer {
  readonly reply: FaultyReply;
  readonly skew: number;
}

/** An order that has changed, with the number of the change. */
interface ChangedOrder {
  readonly change: number;
  readonly order: AccountOrder;
}

/**
 * A sandbox for one rehearsal: an exchange with one account in a folder of its own, that replays a tape event by event. It is published
 * nowhere. A command in this process asks it directly; a program finds it on a port.
 */
export class PrivateSandbox {
  readonly exchange: SandboxExchange;
  readonly #handler: RequestHandler;
  readonly #faults: Faults;
  readonly #log: (line: string) => void;
  readonly #executed = new Map<FaultKind, number>();
  /** By topic. */
  readonly #revisions = new Map<string, number>();
  readonly #orders = new Map<string, Map<bigint, ChangedOrder>>();
  #changes = 0;
  /** The newest trade or price of a candle on the tape, by market. */
  readonly #recorded = new Map<string, TradeEvent | CandleEvent>();
  #faultsAtEnd: readonly FaultRule[] | undefined;
  /** Orders and cancellations that were refused, and requests that only read. */
  refused = 0;
  refusedReads = 0;

  private constructor(exchange: SandboxExchange, options: PrivateSandboxOptions) {
    this.exchange = exchange;

    const { now, sleep, faults, directory } = options;
    this.#log = boundedLog(path.join(directory, 'sandbox.log'));
    this.#handler = this.#handlerWith(UNLIMITED);
    const log = { add: (entry: Omit<FaultEntry, 'number'>) => this.#countFault(entry), after: () => [] };
    this.#faults = new Faults(SEED, log, { now, sleep, waitFor: (_, ms) => sleep(ms) });
    for (const kind of faults) {
      const { needs } = FAULT_KINDS[kind];
      this.#faults.rules.add({ kind, every: FAULT_EVERY, ...(needs && { [needs]: USUAL_MS[needs] }) });
    }
    exchange.changes.listen((topic, order) => this.#changed(topic, order));
  }

  static async open(options: PrivateSandboxOptions): Promise<PrivateSandbox> {
    const { directory, keys, time, markets, rules, funds, now, latencyMs } = options;
    makeOwnFolder(directory);
    const exchange = await SandboxExchange.open({
      directory: path.join(directory, 'exchange'),
      ...{ seed: SEED, now, firstAccount: keys, firstBalances: funds, isTemporary: true },
      replayGenesis: { time, emptyMarkets: markets, markets: rules, isAlone: true },
    });
    exchange.state.latency = latencyMs;
    return new PrivateSandbox(exchange, options);
  }

  /** Lets the clock run. Further calls do nothing. Returns whether it stood still. */
  start(speed: number): boolean {
    const { clock } = this.exchange;
    if (!clock.state.stopped) return false;
    clock.run(speed);
    clock.start();
    return true;
  }

  /** Lets an event of the tape happen. The clock shows its time, or a later one. */
  take(event: TapeEvent): void {
    const before = this.#changes;
    this.exchange.replay.take(event);
    if (event.kind !== 'trade' && event.kind !== 'candle') return;
    // a candle changes nothing if the tape has its trades, or shorter candles
    if (this.#changes > before) this.#recorded.set(event.market, event);
  }

  /** Limits count the seconds of the market, at any speed. */
  #handlerWith(limits: RateLimitValues): RequestHandler {
    const { exchange } = this;
    return new RequestHandler({
      exchange,
      now: () => exchange.clock.now(),
      limits: keptLimits(limits),
      log: this.#log,
    });
  }

  /** Answers a request of this process by its path and query. Such requests are made on a clock that jumps, so no limit holds for them. */
  async answer(url: string): Promise<ServedAnswer> {
    const request = { method: 'GET', url, address: '127.0.0.1' };
    const fault = this.#faults.match(url);
    if (fault !== undefined) {
      const { answer, reply, skew } = await this.#faults.carryOut(fault, request, this.#handler);
      this.#countRefusal(url, answer);
      return { reply, skew };
    }
    const answer = await this.#handler.answer(request);
    this.#countRefusal(url, answer);
    return { reply: { kind: 'whole', status: 200, type: '', body: answer.body, headers: {} }, skew: 0 };
  }

  /** Serves the interface and its streams on a free port, with the documented limits. @param asked called with each request before it is answered */
  async listen(asked: () => void): Promise<Listener> {
    const activity = new Activity();
    const { exchange } = this;
    const streams = new StreamServer({
      exchange: () => exchange,
      now: () => exchange.clock.now(),
      subscriptionsPerSecond: DOCUMENTED_LIMITS.subscriptions,
      activity,
      faults: this.#faults,
      log: this.#log,
    });
    const respond = interfaceRequestListener(this.#handlerWith(DOCUMENTED_LIMITS), activity, {
      faults: this.#faults,
      answered: (url, answer) => this.#countRefusal(url, answer),
    });
    return listen(
      (request, response) => {
        asked();
        respond(request, response);
      },
      0,
      {
        upgrades: {
          isPath: (name) => streams.isPath(name),
          get hasRoom() {
            return streams.hasRoom;
          },
          upgrade: (request, socket, head) => {
            asked();
            streams.upgrade(request, socket, head);
          },
          close: () => streams.close(),
        },
      },
    );
  }

  /** The address of the streams on a listener. */
  streamsOf({ url }: Listener): string {
    return `${url.replace(/^http/, 'ws')}${STREAMS.path}`;
  }

  /** What the faults have done. */
  get faults(): FaultCount[] {
    const applied = this.#faultsAtEnd ?? this.#faults.rules.list();
    return applied.map((rule) => ({
      kind: rule.kind,
      applied: rule.applied,
      executed: this.#executed.get(rule.kind) ?? 0,
    }));
  }

  /** From now on, no fault is applied. */
  endFaults(): void {
    this.#faultsAtEnd = this.#faults.rules.list();
    this.#faults.rules.clear();
  }

  /** The newest price of a market on the tape, in ticks, whatever the account traded since; undefined before the first. */
  recordedPrice(market: string): bigint | undefined {
    const event = this.#recorded.get(market);
    if (event === undefined) return undefined;
    return Decimal.of(event.price).rescaled(this.exchange.replay.marketOf(event).priceScale, 'down').units;
  }

  /** Makes the newest prices of the tape the last ones again, where the account has made others. They fill nothing. */
  showRecordedPrices(): void {
    const time = this.exchange.clock.now();
    for (const [market, { file, line, side, price }] of this.#recorded) {
      if (this.exchange.market.lastPrice(market) === this.recordedPrice(market)) continue;
      const past = { kind: 'trade', id: null, amount: '0', isPast: true } as const;
      this.exchange.replay.take({ ...past, time, date: time, market, file, line, side, price });
    }
  }

  /** Changes whenever the book of a market may have changed. */
  bookRevision(market: string): number {
    return this.#revisions.get(topics.book(market)) ?? 0;
  }

  /** Changes with each trade in a market. */
  tradesRevision(market: string): number {
    return this.#revisions.get(topics.trades(market)) ?? 0;
  }

  /** Changes with each order of the account in a market. */
  ordersRevision(market: string): number {
    return this.#revisions.get(topics.orders(FIRST_ACCOUNT, market)) ?? 0;
  }

  /** The orders of the account that have changed after a revision, as they are now. */
  ordersSince(market: string, revision: number): OrderUpdate[] {
    const changed = [...(this.#orders.get(market)?.values() ?? [])].filter(({ change }) => change > revision);
    return changed.map(({ order }) => updateOf(order));
  }

  /** What the account has of a coin, in units of it: available and in orders. */
  total(coin: string): bigint {
    const { ledger } = this.exchange;
    return ledger.available(FIRST_ACCOUNT, coin) + ledger.frozen(FIRST_ACCOUNT, coin);
  }

  /** Changes whenever the balances of the account may have changed. */
  get balancesRevision(): number {
    return this.#revisions.get(topics.balances(FIRST_ACCOUNT)) ?? 0;
  }

  async close(): Promise<void> {
    await this.exchange.close();
  }

  #changed(topic: string, order: AccountOrder | undefined): void {
    this.#changes += 1;
    this.#revisions.set(topic, this.#changes);
    if (order?.account !== FIRST_ACCOUNT) return;
    const name = order.market.name;
    const ofMarket = this.#orders.get(name) ?? new Map<bigint, ChangedOrder>();
    this.#orders.set(name, ofMarket);
    ofMarket.delete(order.id);
    ofMarket.set(order.id, { change: this.#changes, order });
    const [oldest] = ofMarket.keys();
    if (ofMarket.size > MOST_CHANGED && oldest !== undefined) ofMarket.delete(oldest);
  }

  #countRefusal(url: string, { refused }: ApiResponse): void {
    if (!refused) return;
    if (WRITES.test(url)) this.refused += 1;
    else this.refusedReads += 1;
  }

  #countFault({ kind, executions }: Omit<FaultEntry, 'number'>): void {
    const executed = executions.filter(({ placed, cancelled }) => placed.length + cancelled.length > 0).length;
    this.#executed.set(kind, (this.#executed.get(kind) ?? 0) + executed);
  }
}

const WRITES = /^\/api\/(order|orderMoreV2|cancelOrder)\?/;

function updateOf(order: AccountOrder): OrderUpdate {
  const record = recordOf(order);
  const { id, market, side, type, price, amount, filled, filledValue, fee, time, state, lastTrade } = record;
  const feeCoin = side === 'buy' ? order.market.base : order.market.quote;
  const status = statusOf(record);
  return {
    ...{ id, clientId: null, market, side, type, price, amount, filled, filledValue },
    ...{ fee, feeCoin, feeDiscount: false, time, state, status, lastTrade },
  };
}
