import type { Order, Side } from '../../../src/domain/order.js';
import { Failure } from '../../../src/errors.js';
import { uncounted } from '../../../src/exchange/exchange.js';
import { NOW } from '../../support/fake-host.js';
import { type TestTrading, type TradingOptions, tradingOf } from './trading.js';

/** What the exchange answers; a Failure is thrown. */
export interface Answers {
  /** To a read of an order by its id. */
  readonly byId?: Readonly<Record<string, Order | Failure>>;
  /** To a read by the client id of an order. */
  readonly byClientId?: Readonly<Record<string, Order | Failure>>;
  /** To a read by any other client id. */
  readonly byUnusedId?: Order | Failure;
  /** To a list of one side, newest first; a side without one has no orders. */
  readonly lists?: Readonly<Partial<Record<'buy' | 'sell', readonly Order[] | Failure>>>;
  /** Whether there are older orders than those of the lists. */
  readonly more?: boolean;
}

/** A trading context whose exchange answers from memory, with what it was asked. It accepts a request for a minute. */
export function answering(answers: Answers = {}, options: TradingOptions = {}) {
  const trading = tradingOf('http://127.0.0.1:1', options);
  const asked: string[] = [];
  /** Up to which page each list was read. */
  const lastPages: number[] = [];
  const given = <Answer>(answer: Answer | Failure): Answer => {
    if (answer instanceof Failure) throw answer;
    return answer;
  };
  const listed = (side: Side, lastPage: number) => {
    asked.push(`${side}s`);
    lastPages.push(lastPage);
    return given(answers.lists?.[side] ?? []);
  };
  const client: Partial<TestTrading['client']> = {
    now: () => trading.host.now(),
    facts: trading.client.facts,
    findOrder: async (_, reference) => {
      const { byId = {}, byClientId = {}, byUnusedId } = answers;
      asked.push('id' in reference ? `order ${reference.id}` : `client id ${reference.clientId}`);
      if ('id' in reference) return given(byId[reference.id]);
      const { clientId } = reference;
      return given(clientId in byClientId ? byClientId[clientId] : byUnusedId);
    },
    orders: async (_, side, { to }) => ({ orders: listed(side, to), more: answers.more === true, failure: null }),
    async *orderPages(_, side, __, { to } = { from: 1, to: Number.POSITIVE_INFINITY }) {
      const rows = listed(side, to);
      yield { rows, fresh: rows, hasOlder: answers.more === true };
    },
    async *withdrawals({ coin }) {
      asked.push(`withdrawals of ${coin}`);
      yield [];
      return uncounted(false);
    },
    acceptsReqTimeForOrders: async (_, __, reqTime) => trading.host.now() - reqTime <= 60_000,
  };
  return { ...trading, client: client as TestTrading['client'], asked, lastPages };
}

/** A limit order to buy 0.01 btc at 30000, `at` milliseconds after NOW. */
export function orderAt(id: string, at = 3, changes: Partial<Order> = {}): Order {
  const terms = { market: 'btc_usdt', side: 'buy', type: 'limit', price: '30000', amount: '0.01' } as const;
  const fills = { filled: '0', filledValue: '0', fee: null, feeCoin: null, feeDiscount: false };
  return { id, clientId: null, ...terms, ...fills, time: NOW + at, state: 'open', status: 0, ...changes };
}
