import type { Cancellation, Order, OrderReference } from '../../domain/order.js';
import { type Failure, type FailureKind, failureOnly } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import { backoffMs } from '../../platform/backoff.js';
import type { Host } from '../../platform/host.js';
import { inParallel } from '../../platform/in-parallel.js';
import { NO_ORDERS, type OwnOrders, ordersToCancel, readOpenOrders } from '../history/open-orders.js';
import type { TradingContext } from '../trading-context.js';
import {
  type CancelOutcome,
  type CancelRequest,
  findCancellationOutcome,
  NO_FACTS,
  type OrderFacts,
  orderFacts,
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
type Sent = { readonly attempt: CancelAttempt } | UndecidedCancel;

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
async function sendAll(
  trading: TradingContext,
  market: string,
  orders: Orders,
  onAnswer: (sent: Sent) => void,
  signal?: AbortSignal,
): Promise<Sent[]> {
  const unsent: Failure[] = [];
  const send = async (order: OrderReference): Promise<Sent> => {
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
function preliminary(sent: Sent): CancelAttempt {
  if ('attempt' in sent) return sent.attempt;
  const { reply, request } = sent;
  const { code, reason: message } = reply;
  const unknown = { ...NO_FACTS, outcome: 'unknown', code, message, failure: 'unknown' } as const;
  return attemptOf(request.market, request.order, unknown, reply);
}

async function sendOne(trading: TradingContext, request: CancelRequest): Promise<Sent> {
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
async function decideAll(
  trading: TradingContext,
  sent: readonly Sent[],
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

export interface CancelledAll {
  /** One for each order that was found open. */
  readonly attempts: readonly CancelAttempt[];
  /** The orders that were open when they were read last. */
  readonly stillOpen: readonly string[];
  /** Every order that was read, by id, as it was last read. */
  readonly orders: ReadonlyMap<string, Order>;
  /** Why it is unknown whether others are left. */
  readonly failure: Failure | null;
}

const PAUSES_MS = { first: 500, longest: 5_000 };
/** So many rounds change nothing before what is left is named: lists that are read may give the budget back each time. */
const MOST_IDLE = 10;

/** What may have passed a moment later: no connection, too many requests. */
const TEMPORARY: readonly CancelAttempt['failure'][] = ['unreachable', 'limited'];

export interface CancelAllOptions {
  /** Called for each answer, with what it alone shows, and the number of requests so far. */
  readonly onAnswer?: ((attempt: CancelAttempt, requests: number) => void) | undefined;
  /** Called for each cancellation that the exchange accepted. */
  readonly onProgress?: () => void;
  /** Reads the lists whole at first, whatever is known of them. */
  readonly isWhole?: boolean | undefined;
  /** Called when orders were found, before they are cancelled, if they are cancelled while they are read. */
  readonly onOpen?: () => void;
  /** Called for each page of a list, once its orders are cancelled, if they are cancelled while they are read. */
  readonly onPage?: (() => void) | undefined;
  /** Ends it: nothing more is sent, and the orders are not read again. */
  readonly signal?: AbortSignal;
  /** Reads the lists (default: the client of the context). */
  readonly lists?: Exchange | undefined;
}

/**
 * Cancels the open orders of a market, and those that are placed meanwhile, until none is left or nothing changes any more
 * within the budget. A cancellation without an answer is followed by another one of the same order: cancelling an order twice is
 * harmless.
 *
 * @param shown the orders as they were last read, and shown to the user; if absent, they are read now, and each is cancelled as soon as
 *   a page shows it
 * @throws Failure `usage` or `credentials` if nothing could be sent, and why the orders could not be read if none is known
 */
export async function cancelAll(
  trading: TradingContext,
  market: string,
  shown: OwnOrders | undefined,
  {
    onAnswer = () => {},
    onProgress = () => {},
    onOpen = () => {},
    onPage,
    signal,
    lists,
    isWhole,
  }: CancelAllOptions = {},
): Promise<CancelledAll> {
  const sent: Sent[] = [];
  let responses = 0;
  let requests = 0;
  const answered = (sentOne: Sent) => {
    if ('reply' in sentOne ? sentOne.reply.accepted !== undefined : sentOne.attempt.failure === null) onProgress();
    responses += 1;
    onAnswer(preliminary(sentOne), Math.max(requests, responses));
  };
  const send = async (orders: Orders, onSent: (one: Sent) => void = answered): Promise<readonly Sent[]> => {
    const round = await sendAll(trading, market, orders, onSent, signal);
    sent.push(...round);
    return round;
  };
  const sendShown = async (own: OwnOrders): Promise<Round> => {
    const ids = openIds(own);
    requests += ids.length;
    return { ids, seen: own, sent: await send(ids.map((id) => ({ id }))) };
  };
  const sendWhileReading = async (): Promise<Round> => {
    const found = new FoundOrders();
    const take = async (orders: readonly Order[]) => {
      requests += found.add(orders);
      if (found.ids.length > 0) onOpen();
      // a cancellation goes before the next page, and one that hangs does not hold it up
      await found.whenAnswered(trading.host);
    };
    const reading = readOpenOrders(trading, market, { lists, isWhole, onOpen: take, onPage })
      .catch(unreadOrders)
      .finally(() => found.end());
    const [seen, round] = await Promise.all([
      reading,
      send(found, (one) => {
        found.answered();
        answered(one);
      }),
    ]);
    return { ids: found.ids, seen, sent: round };
  };

  let seen = shown ?? NO_ORDERS;
  let failure = seen.failure;
  try {
    let round = shown === undefined ? await sendWhileReading() : await sendShown(shown);
    ({ seen } = round);
    ({ failure } = seen);
    for (let idle = 0; round.ids.length > 0 && signal?.aborted !== true; round = await sendShown(seen)) {
      seen = await readOpenOrders(trading, market, { lists });
      ({ failure } = seen);
      const left = new Set(openIds(seen));
      idle = round.ids.every((id) => left.has(id)) ? idle + 1 : 0;
      const pause = backoffMs(idle - 1, PAUSES_MS);
      const mayPass = idle <= MOST_IDLE && round.sent.some(isTemporary) && trading.budget.allows(2 * pause);
      if (idle > 0 && !mayPass) break;
      if (idle > 0) await trading.host.sleep(pause);
    }
  } catch (error) {
    failure = failureOnly(error);
  }
  if (failure !== null && sent.length === 0) throw failure;
  const all = await decideAll(trading, sent, seen.byId);
  const attempts = [...decisive(all)].map(([id, attempt]) => withOrder(attempt, seen.byId.get(id)));
  return { attempts, stillOpen: openIds(seen), orders: seen.byId, failure };
}

/** One cancellation of each order that was open. */
interface Round {
  readonly ids: readonly string[];
  /** The orders as they were read for it. */
  readonly seen: OwnOrders;
  readonly sent: readonly Sent[];
}

/** What is known if not even the first pages could be read: that. */
function unreadOrders(error: unknown): OwnOrders {
  return { ...NO_ORDERS, more: true, failure: failureOnly(error) };
}

/** How long the answers to cancellations hold up the next page, in milliseconds. */
const ANSWER_MS = 500;

/** Orders that are taken while others are still looked for, each once. */
class FoundOrders implements AsyncIterable<OrderReference> {
  readonly #found = new Set<string>();
  readonly #waiting: string[] = [];
  #isOver = false;
  #wake = () => {};
  #unanswered = 0;
  /** Called when there is nothing more to wait for. */
  #released: (() => void)[] = [];

  /** Returns how many of them are new. */
  add(orders: readonly Order[]): number {
    const fresh = orders.map(({ id }) => id).filter((id) => !this.#found.has(id));
    for (const id of fresh) this.#found.add(id);
    this.#waiting.push(...fresh);
    this.#unanswered += fresh.length;
    this.#wake();
    return fresh.length;
  }

  /** The cancellation of one of them was answered. */
  answered(): void {
    this.#unanswered -= 1;
    if (this.#unanswered === 0) for (const release of this.#released.splice(0)) release();
  }

  /** Waits until all that were found are answered, for a moment at most. */
  async whenAnswered(host: Pick<Host, 'sleep'>): Promise<void> {
    if (this.#unanswered === 0) return;
    const end = new AbortController();
    const released = new Promise<void>((resolve) => {
      this.#released.push(resolve);
    });
    await Promise.race([released, host.sleep(ANSWER_MS, end.signal)]);
    end.abort();
  }

  /** No more are added. */
  end(): void {
    this.#isOver = true;
    this.#wake();
  }

  get ids(): readonly string[] {
    return [...this.#found];
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<OrderReference> {
    for (;;) {
      for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) yield { id };
      if (this.#isOver) return;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }
}

/**
 * From what decides least: an order that an attempt without a known outcome may still cancel is not refused for good. What a rejected one
 * found cancelled, an earlier one has cancelled.
 */
const DECISIVENESS = ['refused', 'unknown', 'cancelled in vain', 'cancelled'];

/** For each order, by its id, the last attempt that cancelled it, or else that may have, or else the last one. */
function decisive(attempts: readonly CancelAttempt[]): ReadonlyMap<string, CancelAttempt> {
  const found = new Map<string, CancelAttempt>();
  const rank = (attempt: CancelAttempt | undefined) => {
    const { result, wasRejected } = attempt ?? {};
    const isInVain = wasRejected === true && result?.outcome === 'cancelled';
    return DECISIVENESS.indexOf(isInVain ? 'cancelled in vain' : (result?.outcome ?? ''));
  };
  for (const attempt of attempts) {
    const id = attempt.result.id ?? '';
    if (rank(attempt) >= rank(found.get(id))) found.set(id, attempt);
  }
  return found;
}

/** Also if no answer came, or the exchange accepted the cancellation of an order that its list shows as open. */
function isTemporary(sent: Sent): boolean {
  return 'reply' in sent || sent.attempt.failure === null || TEMPORARY.includes(sent.attempt.failure);
}

function openIds(own: OwnOrders): string[] {
  return ordersToCancel(own).map(({ id }) => id);
}

/** What is said of an order that another command, or the exchange itself, cancelled first. */
export const ALREADY_CANCELLED = 'was already cancelled';

/** A refused cancellation of an order that the last reading shows as closed. */
function withOrder(attempt: CancelAttempt, order: Order | undefined): CancelAttempt {
  const { result } = attempt;
  if (order === undefined || result.outcome === 'cancelled') return attempt;
  const found = { ...result, ...orderFacts(order) };
  if (order.state === 'cancelled')
    return { ...attempt, failure: null, result: { ...found, outcome: 'cancelled', message: ALREADY_CANCELLED } };
  if (order.state === 'filled')
    return { ...attempt, failure: 'refused', result: { ...found, outcome: 'refused', message: 'already filled' } };
  return attempt;
}
