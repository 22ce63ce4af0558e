import type { ExchangeClient } from '../client/exchange-client.js';
import { Failure } from '../errors.js';
import type { Host } from '../host.js';
import { Decimal } from '../protocol/decimal.js';
import type { OrderRecord } from '../protocol/operations/trading.js';
import type { ValuesOf } from '../protocol/request.js';
import type { Refused } from '../protocol/response.js';
import {
  ACCOUNT_TYPE,
  type AccountType,
  ORDER_TYPE,
  type OrderType,
  readOrderType,
  type Side,
  TRADE_TYPE,
} from '../protocol/words.js';
import { findOrder } from './find-order.js';

/** An order as it will be sent: price and amount are final. */
export interface OrderIntent {
  readonly market: string;
  readonly side: Side;
  readonly type: OrderType;
  readonly account: AccountType;
  readonly price: string;
  readonly amount: string;
  readonly clientId: string;
  readonly borrow: boolean;
  readonly repay: boolean;
}

export type Placement =
  | { readonly outcome: 'placed'; readonly id: string }
  | { readonly outcome: 'refused'; readonly refusal: Refused }
  | { readonly outcome: 'notSent'; readonly reason: string }
  | { readonly outcome: 'unknown'; readonly reason: string };

/** The parameters of the operation `order`. Defaults of the interface are left out. */
export function orderValues(intent: OrderIntent): ValuesOf<'order'> {
  return {
    currency: intent.market,
    tradeType: TRADE_TYPE[intent.side],
    price: intent.price,
    amount: intent.amount,
    acctType: intent.account === 'spot' ? undefined : ACCOUNT_TYPE[intent.account],
    enableExpress: intent.borrow ? 'true' : undefined,
    enableRepay: intent.repay ? 'true' : undefined,
    customerOrderId: intent.clientId,
    orderType: ORDER_TYPE[intent.type],
  };
}

/**
 * Sends an order once. Where no answer came, the exchange is asked for the client order id: found, it was placed; not
 * found, it stays unknown, because a request held on the way can still be executed.
 */
export async function placeOrder(client: ExchangeClient, host: Host, intent: OrderIntent): Promise<Placement> {
  const sentMs = host.now();
  const verdict = await client.write('order', orderValues(intent));
  if (verdict.kind === 'done') return { outcome: 'placed', id: verdict.answer.id };
  if (verdict.kind === 'refused') {
    const placed = await foundDespite(verdict.refusal, client, intent, sentMs);
    return placed === undefined ? { outcome: 'refused', refusal: verdict.refusal } : { outcome: 'placed', id: placed };
  }
  if (verdict.kind === 'notSent') return { outcome: 'notSent', reason: verdict.reason };
  const found = await lookFor(client, host, intent, sentMs);
  return found === undefined ? { outcome: 'unknown', reason: verdict.reason } : { outcome: 'placed', id: found };
}

/** Codes, as observed, of requests that were not looked into: signature, address, time, parameters, lock and rate. */
const NOT_CONSIDERED = [1003, 3005, 3006, 3007, 4001, 4002];

/**
 * A proxy before the exchange may have repeated the request: the first was placed, and the answer is the refusal of the
 * second. One look tells; a look that fails leaves the refusal.
 */
async function foundDespite(
  { code }: Refused,
  client: ExchangeClient,
  intent: OrderIntent,
  sentMs: number,
): Promise<string | undefined> {
  if (code === null || NOT_CONSIDERED.includes(code)) return undefined;
  const { market, clientId } = intent;
  const order = await quietly(() => findOrder(client, market, { clientId }));
  return order !== undefined && isIntended(order, intent, sentMs) ? order.id : undefined;
}

const LOOKS = 3;
const PAUSE_MS = 300;
/** How far the exchange's clock may be from this one's for it to take the request at all; chosen, not documented. */
const CLOCK_TOLERANCE_MS = 60_000;

async function lookFor(
  client: ExchangeClient,
  host: Host,
  intent: OrderIntent,
  sentMs: number,
): Promise<string | undefined> {
  const { market, clientId } = intent;
  for (let look = 1; look <= LOOKS; look += 1) {
    const order = await quietly(() => findOrder(client, market, { clientId }));
    if (order !== undefined && isIntended(order, intent, sentMs)) return order.id;
    if (look < LOOKS) await host.sleep(PAUSE_MS * look);
  }
  return undefined;
}

/** The exchange takes a client id twice, so what bears it may be an older order. */
function isIntended(order: OrderRecord, { side, price, amount }: OrderIntent, sentMs: number): boolean {
  const same = (left: string, right: string) => Decimal.of(left).compare(Decimal.of(right)) === 0;
  const isNew = order.trade_date >= sentMs - CLOCK_TOLERANCE_MS;
  return (
    isNew && readOrderType(order.type)?.side === side && same(order.price, price) && same(order.total_amount, amount)
  );
}

/** A look that fails proves nothing; the order stays as unknown as it was. */
async function quietly<Value>(look: () => Promise<Value>): Promise<Value | undefined> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Failure) return undefined;
    throw error;
  }
}

/** A new client order id: "4-36 characters, digits or letters". */
export function newClientId(host: Host): string {
  return `pit${Buffer.from(host.randomBytes(12)).toString('hex')}`;
}
