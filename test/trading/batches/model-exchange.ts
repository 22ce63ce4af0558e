import { type Answer, type FaultServer, respond, serveFaults } from '../../support/fault-server.js';
import { CONFIGURATION, DEPTH, NOT_FOUND, query } from '../support/exchange.js';

export interface ModelOrder {
  readonly id: string;
  readonly price: string;
  readonly amount: string;
  readonly type: number;
  readonly time: number;
  /** How many lists were read before it. */
  readonly list: number;
}

/** A request that the network holds. */
interface Held {
  readonly after: number;
  readonly reqTime: number;
  readonly run: () => void;
}

/** What the exchange does with a batch request, and what it answers. */
export interface Treatment {
  /** How often the request is executed (default: once), and which pairs each execution accepts (default: all). */
  readonly times?: number;
  readonly accepts?: (pair: number, time: number) => boolean;
  /** Executes it only after so many more requests, if its time is still accepted (default: at once). */
  readonly late?: number;
  /** Replaces the answer of the last execution. */
  readonly answer?: Answer;
}

const EXPIRED = '{"code":3007,"message":"reqTime"}';
const TOLERANCE_MS = 60_000;
const FIRST_ID = 202202220000000001n;

/** An exchange with one account that handles batch requests by the given treatments, one after the other. */
export class ModelExchange {
  readonly #usual: Treatment;

  /** Oldest first. */
  readonly orders: ModelOrder[] = [];
  readonly batches: string[] = [];
  /** Lists show an order only after so many more lists. */
  lag = 0;
  lists = 0;
  /** Answers name the orders of a request last to first. */
  isReversed = false;
  /** How many ms the clock of the lists is ahead of the one that judges requests. */
  ahead = 0;
  /** If set, every order is listed with this type. */
  shownType: number | undefined;
  #requests = 0;
  #now = 0;
  #held: Held[] = [];

  constructor(
    readonly treatments: Treatment[] = [],
    usual: Treatment = {},
  ) {
    this.#usual = usual;
  }

  /** Serves it until the end of the test. */
  serve(): Promise<FaultServer> {
    return serveFaults({ answer: ({ target }) => this.answer(target) });
  }

  answer(target: string): Answer {
    if (target.startsWith('/data/v1/markets')) return respond(CONFIGURATION);
    if (target.startsWith('/data/v1/depth')) return respond(DEPTH);
    const values = query(target);
    const reqTime = Number(values.reqTime);
    // the client's clock never goes back, so an older request is old on purpose
    this.#now = Math.max(this.#now, reqTime);
    this.#requests += 1;
    this.release(({ after }) => this.#requests >= after);
    if (this.#now - reqTime > TOLERANCE_MS) return respond(EXPIRED);
    if (values.method === 'getOrders') return this.#list(values);
    if (values.method === 'orderMoreV2') return this.#batch(values);
    const order = this.orders.find(({ id }) => values.method === 'getOrder' && id === values.id);
    if (order !== undefined) return respond(recordOf(order));
    return respond(NOT_FOUND);
  }

  /** Executes the held requests that are due, if their time is still accepted. */
  release(isDue: (held: Held) => boolean = () => true): void {
    for (const held of this.#held.splice(0)) {
      if (this.#now - held.reqTime > TOLERANCE_MS) continue;
      if (isDue(held)) held.run();
      else this.#held.push(held);
    }
  }

  /** Places an order that no batch asked for. */
  place(price: string, amount: string, type = 1): string {
    const id = String(FIRST_ID + BigInt(this.orders.length));
    this.orders.push({ id, price, amount, type, time: Math.floor(this.#now) + this.ahead, list: this.lists });
    return id;
  }

  /** The number of orders by `price amount`. */
  get counts(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { price, amount } of this.orders) {
      const key = `${Number(price)} ${Number(amount)}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    return counts;
  }

  #list({ pageNumber, side: asked }: Record<string, string>): Answer {
    this.lists += 1;
    const start = (Number(pageNumber) - 1) * 10;
    const listed = this.orders.filter(({ list }) => this.lists > list + this.lag);
    const side = listed.filter(({ type }) => (type % 2 === 1) === (asked === 'buy')).reverse();
    const page = side
      .slice(start, start + 10)
      .map((order) => recordOf(this.shownType === undefined ? order : { ...order, type: this.shownType }));
    return respond(page.length === 0 ? NOT_FOUND : `[${page.join(',')}]`);
  }

  #batch({ tradeParams = '', side, reqTime }: Record<string, string>): Answer {
    this.batches.push(tradeParams);
    const { times = 1, accepts = () => true, late, answer } = this.treatments.shift() ?? this.#usual;
    const pairs = Array.from(tradeParams.matchAll(/\[([\d.]+),([\d.]+)\]/g), ([, price = '', amount = '']) => [
      price,
      amount,
    ]);
    let last = '{"code":"1001","message":"nothing was done"}';
    const run = () => {
      for (let time = 0; time < times; time += 1) {
        const accepted = pairs.filter((_, index) => accepts(index, time));
        const ids = accepted.map(([price = '', amount = '']) => this.place(price, amount, side === 'buy' ? 1 : 0));
        if (this.isReversed) ids.reverse();
        last =
          ids.length === 0
            ? '{"code":"2009","message":"Insufficient balance"}'
            : `{"code":"1000","message":"${ids.length === pairs.length ? 'success' : 'some were refused'}","data":[${ids.join(',')}]}`;
      }
    };
    if (late === undefined) run();
    else this.#held.push({ after: this.#requests + late, reqTime: Number(reqTime), run });
    return answer ?? respond(last);
  }
}

function recordOf({ id, price, amount, type, time }: ModelOrder): string {
  const state = '"trade_amount":0,"trade_money":0,"status":3';
  return `{"id":"${id}","currency":"btc_usdt","price":${price},"total_amount":${amount},"trade_date":${time},"type":${type},${state}}`;
}
