import { type Answer, FAULTS, type FaultServer, respond, serveFaults } from '../../support/fault-server.js';
import { type OrderRow, orderRow } from '../../support/wire.js';
import { ageLimit, CONFIGURATION, NOT_FOUND, query } from './exchange.js';

/** An order with the interface's codes. */
export interface ListedOrder {
  readonly id: string;
  readonly side: 'buy' | 'sell';
  status: number;
  filled: string;
  readonly clientId?: string;
  readonly price?: string;
  readonly amount?: string;
  /** Default: a limit order. */
  readonly type?: OrderRow['type'];
}

/** What happens to a cancellation, and whether it is answered. */
export type Cancelling = 'done' | 'doneUnanswered' | 'refused' | 'lost' | 'tooFrequent' | 'fills' | 'accepted';

/** What happens to a new order, and whether it is answered. */
export type Placing = 'done' | 'doneUnanswered' | 'refused' | 'lost';

export interface Behaviour {
  /** Decides on a cancellation by the order's id and the number of its cancellations so far. */
  readonly cancel?: (id: string, time: number) => Cancelling;
  readonly place?: () => Placing;
  /** Replaces the answer to a list of orders, by the number of lists so far and the side that it lists. */
  readonly list?: (asked: number, side: 'buy' | 'sell') => Answer | undefined;
  /** Replaces the answer to a read of an order, by the number of reads so far. */
  readonly read?: (asked: number) => Answer | undefined;
  /** The available btc and usdt (default: the key may not read them). */
  readonly available?: Readonly<Record<'btc' | 'usdt', string>>;
}

export interface OrdersExchange extends FaultServer {
  readonly orders: ListedOrder[];
}

const PAGE = 10;

export function openOrders(count: number, side: 'buy' | 'sell' = 'buy', from = 1): ListedOrder[] {
  return Array.from({ length: count }, (_, index) => ({ id: String(from + index), side, status: 0, filled: '0' }));
}

/** An exchange with orders of 0.01 at 30000, and the given behaviour for cancellations and new orders. */
export async function serveOrders(orders: ListedOrder[], behaviour: Behaviour = {}): Promise<OrdersExchange> {
  const { cancel = () => 'done', place = () => 'done', list = () => undefined, read = () => undefined } = behaviour;
  const cancelled = new Map<string, number>();
  const asked = { lists: 0, reads: 0 };
  const tooOld = ageLimit();
  const server = await serveFaults({
    answer: ({ target }) => {
      const { id, clientId, side: given, pageNumber, ...terms } = query(target);
      if (target.startsWith('/data/v1/markets')) return respond(CONFIGURATION);
      if (target.startsWith('/api/getAccountInfo?')) return accountInfo(behaviour.available);
      if (target.startsWith('/api/getOrders?'))
        return list(++asked.lists, sideOf(given)) ?? page(orders, sideOf(given), Number(pageNumber));
      if (target.startsWith('/api/order?')) {
        return placed(
          orders,
          { id: String(9_000 + orders.length), clientId: clientId ?? '', side: sideOf(given), ...terms },
          place(),
        );
      }
      const order = orders.findLast((one) => (id === undefined ? one.clientId === clientId : one.id === id));
      if (target.startsWith('/api/getOrder?'))
        return tooOld(target) ?? read(++asked.reads) ?? respond(order === undefined ? NOT_FOUND : recordOf(order));
      if (order === undefined) return respond(NOT_FOUND);
      const time = (cancelled.get(order.id) ?? 0) + 1;
      cancelled.set(order.id, time);
      return carryOut(order, cancel(order.id, time));
    },
  });
  return Object.assign(server, { orders });
}

function accountInfo(available: Behaviour['available']): Answer {
  if (available === undefined) return respond('{"code":1012,"message":"no permission"}');
  const rest =
    '"cnName":"","unitTag":"","unitDecimal":8,"fundstype":1,"freez":"0","isCanRecharge":true,"isCanWithdraw":true,"canLoan":true';
  const coins = Object.entries(available).map(
    ([coin, amount]) => `{"key":"${coin}","enName":"${coin}","showName":"${coin}","available":"${amount}",${rest}}`,
  );
  const base = '{"username":"u","trade_password_enabled":true,"auth_google_enabled":false,"auth_mobile_enabled":false}';
  const permissions = '"assetPerm":true,"leverPerm":true,"entrustPerm":true,"moneyPerm":true';
  return respond(`{"result":{"coins":[${coins.join(',')}],"base":${base}},${permissions}}`);
}

interface Terms {
  readonly id: string;
  readonly clientId: string;
  readonly side: 'buy' | 'sell';
  readonly price?: string;
  readonly amount?: string;
  readonly type?: string;
}

function placed(
  orders: ListedOrder[],
  { id, clientId, side, price, amount, type: kind }: Terms,
  behaviour: Placing,
): Answer {
  if (behaviour === 'lost') return FAULTS['a reset after reading'];
  if (behaviour === 'refused') return respond('{"code":"2009","message":"Insufficient balance"}');
  const type = kind === 'postOnly' ? 'postOnly' : 'limit';
  orders.push({ id, clientId, side, status: 0, filled: '0', type, price: price ?? '', amount: amount ?? '' });
  return behaviour === 'doneUnanswered'
    ? FAULTS['a close without an answer']
    : respond(`{"code":"1000","message":"ok","id":"${id}"}`);
}

function carryOut(order: ListedOrder, behaviour: Cancelling): Answer {
  if (behaviour === 'lost') return FAULTS['a reset after reading'];
  if (behaviour === 'tooFrequent') return respond('{"code":4002,"message":"too frequent"}');
  if (behaviour === 'accepted') return answered(order);
  if (behaviour === 'fills') [order.status, order.filled] = [2, order.amount ?? '0.01'];
  if (behaviour === 'refused' || ![0, 3].includes(order.status))
    return respond('{"code":3001,"message":"not to be cancelled"}');
  order.status = order.filled === '0' ? 1 : 2;
  return behaviour === 'doneUnanswered' ? FAULTS['a close without an answer'] : answered(order);
}

function answered({ filled, price = '30000', amount = '0.01' }: ListedOrder): Answer {
  return respond(
    `{"code":1000,"message":{"des":"ok","isSuc":true,"datas":{"amount":${amount},"price":${price},"completeMonty":0,"completeAmount":${filled}}}}`,
  );
}

function sideOf(given: string | undefined): 'buy' | 'sell' {
  return given === 'buy' ? 'buy' : 'sell';
}

function page(orders: readonly ListedOrder[], side: 'buy' | 'sell', index: number): Answer {
  return listOf(
    orders
      .filter((order) => order.side === side)
      .reverse()
      .slice((index - 1) * PAGE, index * PAGE),
  );
}

/** The exchange's answer with a page of orders. */
export function listOf(orders: readonly ListedOrder[]): Answer {
  return respond(orders.length === 0 ? NOT_FOUND : `[${orders.map(recordOf).join(',')}]`);
}

function recordOf({ id, side, status, filled, price = '30000', amount = '0.01', type = 'limit' }: ListedOrder): string {
  return JSON.stringify(orderRow({ id, side, type, price, amount, filled, time: 1540295990000, status }));
}
