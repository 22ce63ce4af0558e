import type { Order, OrderReference } from '../../domain/order.js';
import { type Failure, failureOnly } from '../../errors.js';
import type { Exchange } from '../../exchange/exchange.js';
import { backoffMs } from '../../platform/backoff.js';
import { NO_ORDERS, type OwnOrders, ordersToCancel, readOpenOrders } from '../history/open-orders.js';
import type { TradingContext } from '../trading-context.js';
import { type CancelAttempt, decideAll, preliminary, type SentCancel, sendAll } from './cancel-orders.js';
import { orderFacts } from './cancellation.js';
import { FoundOrders } from './found-orders.js';

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
  options: CancelAllOptions = {},
): Promise<CancelledAll> {
  const { signal, lists } = options;
  const rounds = new Rounds(trading, market, options);
  let seen = shown ?? NO_ORDERS;
  let failure = seen.failure;
  try {
    let round = shown === undefined ? await rounds.sendWhileReading() : await rounds.send(shown);
    ({ seen } = round);
    ({ failure } = seen);
    for (let idle = 0; round.ids.length > 0 && signal?.aborted !== true; round = await rounds.send(seen)) {
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
  if (failure !== null && rounds.sent.length === 0) throw failure;
  const all = await decideAll(trading, rounds.sent, seen.byId);
  const attempts = [...decisive(all)].map(([id, attempt]) => withOrder(attempt, seen.byId.get(id)));
  return { attempts, stillOpen: openIds(seen), orders: seen.byId, failure };
}

/** One cancellation of each order that was open. */
interface Round {
  readonly ids: readonly string[];
  /** The orders as they were read for it. */
  readonly seen: OwnOrders;
  readonly sent: readonly SentCancel[];
}

/** Sends the cancellations of one market, round by round, and reports their answers with the number of requests so far. */
class Rounds {
  readonly #trading: TradingContext;
  readonly #market: string;
  readonly #options: CancelAllOptions;
  readonly #sent: SentCancel[] = [];
  #requests = 0;
  #responses = 0;

  constructor(trading: TradingContext, market: string, options: CancelAllOptions) {
    this.#trading = trading;
    this.#market = market;
    this.#options = options;
  }

  /** The cancellations of all rounds. */
  get sent(): readonly SentCancel[] {
    return this.#sent;
  }

  /** Cancels orders that were read before. Throws Failure as {@link cancelAll}. */
  async send(own: OwnOrders): Promise<Round> {
    const ids = openIds(own);
    this.#requests += ids.length;
    const references = ids.map((id) => ({ id }));
    return { ids, seen: own, sent: await this.#sendAll(references, (cancel) => this.#answered(cancel)) };
  }

  /** Reads the open orders, and cancels each as soon as a page shows it. Throws Failure as {@link cancelAll}. */
  async sendWhileReading(): Promise<Round> {
    const { lists, isWhole, onPage, onOpen = () => {} } = this.#options;
    const found = new FoundOrders();
    const take = async (orders: readonly Order[]) => {
      this.#requests += found.add(orders);
      if (found.ids.length > 0) onOpen();
      // a cancellation goes before the next page, and one that hangs does not hold it up
      await found.whenAnswered(this.#trading.host);
    };
    const reading = readOpenOrders(this.#trading, this.#market, { lists, isWhole, onOpen: take, onPage })
      .catch(unreadOrders)
      .finally(() => found.end());
    const [seen, sent] = await Promise.all([
      reading,
      this.#sendAll(found, (cancel) => {
        found.answered();
        this.#answered(cancel);
      }),
    ]);
    return { ids: found.ids, seen, sent };
  }

  async #sendAll(
    orders: FoundOrders | readonly OrderReference[],
    onAnswer: (cancel: SentCancel) => void,
  ): Promise<readonly SentCancel[]> {
    const sent = await sendAll(this.#trading, this.#market, orders, onAnswer, this.#options.signal);
    this.#sent.push(...sent);
    return sent;
  }

  #answered(cancel: SentCancel): void {
    const { onProgress = () => {}, onAnswer = () => {} } = this.#options;
    if ('reply' in cancel ? cancel.reply.accepted !== undefined : cancel.attempt.failure === null) onProgress();
    this.#responses += 1;
    onAnswer(preliminary(cancel), Math.max(this.#requests, this.#responses));
  }
}

/** What is known if not even the first pages could be read: that. */
function unreadOrders(error: unknown): OwnOrders {
  return { ...NO_ORDERS, more: true, failure: failureOnly(error) };
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
function isTemporary(sent: SentCancel): boolean {
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
