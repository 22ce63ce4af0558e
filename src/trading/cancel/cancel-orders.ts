import type { Cancellation, Order, OrderReference } from '../../domain/order.js';
import { type Failure, type FailureKind, failureOnly } from '../../errors.js';
import { inParallel } from '../../platform/in-parallel.js';
import type { TradingContext } from '../trading-context.js';
import {
  type CancelOutcome,
  type CancelRequest,
  findCancellationOutcome,
  NO_FACTS,
  type OrderFacts,
  sendCancel,
  type Undecided,
} from './cancellation.js';

/** The outcome of one cancellation, as it is reported. */
export interface CancelResult extends OrderFacts {
  readonly outcome: 'cancelled' | 'refused' | 'unknown';
  readonly clientId: string | null;
  readonly market: string;
  /** The exchange's return code; null without an answer. */
  readonly code: number | null;
  readonly message: string | null;
}

export interface CancelAttempt {
  readonly result: CancelResult;
  /** Why the order was not cancelled; null if it was. */
  readonly failure: FailureKind | null;
  /**
   * Whether the exchange answered that it has nothing to cancel. An order that is cancelled all the same was cancelled by others, or by a
   * request that the network repeated.
   */
  readonly wasRejected: boolean;
  /** What the exchange's answer said of an order that it has cancelled; absent without such an answer. */
  readonly accepted?: Cancellation | undefined;
}

/** A cancellation that was sent: settled, or with an answer that does not decide it. */
export type SentCancel = { readonly attempt: CancelAttempt } | UndecidedCancel;

interface UndecidedCancel {
  readonly reply: Undecided;
  readonly request: CancelRequest;
}

/**
 * Cancels orders with one request each. Once all are sent, the orders are read, because only they confirm the answers.
 * @param onAnswer called for each answer, with what it alone shows
 * @param signal ends it: nothing more is sent
 * @throws Failure `usage` or `credentials` if none of them could be sent
 */
export async function cancelOrders(
  trading: TradingContext,
  market: string,
  orders: readonly OrderReference[],
  onAnswer: (attempt: CancelAttempt) => void = () => {},
  signal?: AbortSignal,
): Promise<CancelAttempt[]> {
  return decideAll(trading, await sendAll(trading, market, orders, (sent) => onAnswer(preliminary(sent)), signal));
}

type Orders = Iterable<OrderReference> | AsyncIterable<OrderReference>;

/** Requests under way at once: one that hangs does not delay the others. */
const CONCURRENCY = 8;

/** Sends them all, each as soon as it is known. Throws Failure as {@link cancelOrders}. */
export async function sendAll(
  trading: TradingContext,
  market: string,
  orders: Orders,
  onAnswer: (sent: SentCancel) => void,
  signal?: AbortSignal,
): Promise<SentCancel[]> {
  const unsent: Failure[] = [];
  const send = async (order: OrderReference): Promise<SentCancel> => {
    try {
      return await sendOne(trading, { market, order, reqTime: trading.client.now() });
    } catch (error) {
      const reason = failureOnly(error);
      unsent.push(reason);
      const { message, kind: failure } = reason;
      const notSent = { ...NO_FACTS, outcome: 'notSent', code: null, message, failure } as const;
      return { attempt: attemptOf(market, order, notSent) };
    }
  };
  const all = await inParallel(untilAborted(signal, orders), CONCURRENCY, async (order) => {
    const sent = await send(order);
    onAnswer(sent);
    return sent;
  });
  const [first] = unsent;
  if (first !== undefined && unsent.length === all.length) throw first;
  return all;
}

/** Gives what comes until a signal is aborted. */
async function* untilAborted<Value>(
  signal: AbortSignal | undefined,
  values: Iterable<Value> | AsyncIterable<Value>,
): AsyncGenerator<Value> {
  for await (const value of values) {
    if (signal?.aborted) return;
    yield value;
  }
}

/** The state of a cancellation before the order was read. */
export function preliminary(sent: SentCancel): CancelAttempt {
  if ('attempt' in sent) return sent.attempt;
  const { reply, request } = sent;
  const { code, reason: message } = reply;
  const unknown = { ...NO_FACTS, outcome: 'unknown', code, message, failure: 'unknown' } as const;
  return attemptOf(request.market, request.order, unknown, reply);
}

async function sendOne(trading: TradingContext, request: CancelRequest): Promise<SentCancel> {
  const cancel = await sendCancel(trading, request);
  return cancel.outcome === 'undecided' ? { reply: cancel, request } : { attempt: decided(trading, request, cancel) };
}

/** The attempt of an outcome that is known. The journal keeps which orders were seen cancelled. */
function decided(
  { journal }: TradingContext,
  { market, order }: CancelRequest,
  cancel: CancelOutcome,
  reply?: Undecided,
): CancelAttempt {
  if (cancel.outcome === 'cancelled') journal.noteCancelled({ market, id: cancel.id });
  return attemptOf(market, order, cancel, reply);
}

/**
 * Finds out what is not decided, for as long as the budget lasts.
 * @param listed orders by id, as they were last read in lists
 */
export async function decideAll(
  trading: TradingContext,
  sent: readonly SentCancel[],
  listed: ReadonlyMap<string, Order> = new Map(),
): Promise<CancelAttempt[]> {
  const undecided = sent.flatMap((one) => ('reply' in one ? one : []));
  const lost = undecided.filter(({ reply }) => reply.accepted === undefined);
  if (lost.length > 0) {
    const what = lost.length === 1 ? 'a cancellation' : `${lost.length} cancellations`;
    trading.reportProgress(`No answer to ${what}. Reading ${lost.length === 1 ? 'the order' : 'the orders'}.`);
  }
  let isReported = false;
  const onUnconfirmed = () => {
    if (!isReported)
      trading.reportProgress('The exchange accepted the cancellation but does not show the order as closed. Waiting.');
    isReported = true;
  };
  return Promise.all(
    sent.map(async (one) => {
      if ('attempt' in one) return one.attempt;
      const { reply, request } = one;
      const { order } = request;
      const known = { reply, listed: 'id' in order ? listed.get(order.id) : undefined, onUnconfirmed };
      return decided(trading, request, await findCancellationOutcome(trading, request, known), reply);
    }),
  );
}

function attemptOf(
  market: string,
  order: OrderReference,
  { failure, outcome, wasRejected = false, ...cancel }: CancelOutcome,
  reply?: Undecided,
): CancelAttempt {
  const names = 'id' in order ? { id: order.id, clientId: null } : { clientId: order.clientId };
  const result = { ...cancel, ...names, market, outcome: outcome === 'notSent' ? 'refused' : outcome } as const;
  return { result, failure, wasRejected: wasRejected || reply?.refusal !== undefined, accepted: reply?.accepted };
}
