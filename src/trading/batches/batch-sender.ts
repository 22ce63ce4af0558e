import { counted } from '../../domain/decimal.js';
import type { BatchRequest } from '../../domain/order.js';
import { quotation } from '../../domain/quotation.js';
import type { Refusal } from '../../domain/refusal.js';
import { Failure, type FailureKind } from '../../errors.js';
import { notSentFailure, type WriteResponse } from '../../exchange/exchange.js';
import type { JournalEntry } from '../journal/entry.js';
import type { Journal } from '../journal/journal.js';
import { type BatchLine, type BatchTerms, isKind, ordersMadeBy } from '../journal/write.js';
import type { TradingContext } from '../trading-context.js';
import { Job, MAX_PAIRS, type OpenRequest } from './job.js';

/** Requests recorded with one fsync. */
const GROUP = 4;
/** The most requests without an answer at a time. */
const MAX_IN_FLIGHT = 30;
/** Reserved for outstanding answers, at most a quarter of the budget. */
const RESERVE_MS = 5_000;

/** Why not all requests were sent. */
export type SendProblem =
  | { readonly kind: 'lost'; readonly reason: string }
  | { readonly kind: 'notSent'; readonly reason: string; readonly failure: FailureKind }
  | { readonly kind: 'partial' | 'time' }
  | { readonly kind: 'refused'; readonly refusal: Refusal }
  /** A limit is exceeded by now, the journal could not be written, or the account is halted. */
  | { readonly kind: 'unrecorded'; readonly failure: Failure };

/** The orders of these lines of a job, as one request places them. */
export function batchOf(
  { market, side, account, namesSpot, lines }: Pick<BatchTerms, 'market' | 'side' | 'account' | 'namesSpot' | 'lines'>,
  sent: readonly number[],
): BatchRequest {
  const orders = sent.flatMap((line) => {
    const [, price, amount] = lines[line] ?? [];
    return price === undefined || amount === undefined ? [] : { price, amount };
  });
  return { market, side, account, namesSpot, orders };
}

/**
 * Checks lines of a job that are about to be sent: the user may have lowered a limit since the job began. Throws Failure: they may
 * not be sent.
 */
export type CheckLines = (job: Job, lines: readonly BatchLine[]) => Promise<void>;

/** Sends a job's requests, several at once, until all are sent or one is not answered normally. */
export class BatchSender {
  readonly #trading: TradingContext;
  readonly #job: Job;
  readonly #signal: AbortSignal;
  readonly #check: CheckLines | undefined;

  #waiting = 0;
  #inFlight = 0;
  #isRecording = false;
  #hasFailed = false;
  #problem: SendProblem | undefined;
  #answered = 0;
  #waiters: (() => void)[] = [];
  /** The orders of earlier writes; read when the first answer comes. */
  #others: ReadonlySet<string> | undefined;

  /** @param signal ends it: nothing more is sent */
  constructor(trading: TradingContext, job: Job, signal: AbortSignal, check: CheckLines | undefined) {
    this.#trading = trading;
    this.#job = job;
    this.#signal = signal;
    this.#check = check;
    signal.addEventListener('abort', () => this.#wake());
  }

  /** How many requests were answered, refusals included. */
  get answered(): number {
    return this.#answered;
  }

  /** Sends these lines and waits for every answer. Returns the first problem, if there was one. */
  async send(lines: readonly number[]): Promise<SendProblem | undefined> {
    this.#problem = undefined;
    const chunks = chunked(lines);
    const sends: Promise<void>[] = [];
    const errors: unknown[] = [];
    while (chunks.length > 0 && this.#mayContinue()) {
      // the first request shows whether any can succeed; one refusal need not be repeated by all others
      const group = chunks.splice(0, this.#answered === 0 ? 1 : GROUP);
      this.#isRecording = true;
      // caught at once: a rejection that comes while others are recorded would otherwise end the process
      for (const request of await this.#recorded(group))
        sends.push(this.#sendOne(request).catch((error: unknown) => void errors.push(error)));
      this.#isRecording = false;
      this.#wake();
      const isFirst = this.#answered === 0;
      const isFull = () => this.#waiting > GROUP || this.#inFlight > MAX_IN_FLIGHT - GROUP;
      while (isFirst ? this.#inFlight > 0 : isFull()) await this.#nextChange();
    }
    await Promise.all(sends);
    if (errors.length > 0) throw errors[0];
    return this.#problem;
  }

  /** Returns none if they exceed a limit or cannot be recorded: then they may not be sent. */
  async #recorded(chunks: readonly (readonly number[])[]): Promise<readonly OpenRequest[]> {
    const { lines } = this.#job.terms;
    try {
      await this.#check?.(
        this.#job,
        chunks.flat().flatMap((line) => lines.slice(line, line + 1)),
      );
      return await this.#job.leaving(chunks, this.#trading.client.now());
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#stop({ kind: 'unrecorded', failure: error });
      return [];
    }
  }

  /** Resolves once every answer has arrived or timed out. Requests that are still being recorded are cancelled. */
  async idle(): Promise<void> {
    while (this.#inFlight > 0 || this.#isRecording) await this.#nextChange();
  }

  #mayContinue(): boolean {
    const { budget } = this.#trading;
    if (!budget.allows(Math.min(RESERVE_MS, budget.milliseconds / 4))) this.#stop({ kind: 'time' });
    return !this.#isOver;
  }

  /** Whether nothing more may be sent. */
  get #isOver(): boolean {
    return this.#signal.aborted || this.#hasFailed || this.#problem !== undefined;
  }

  async #sendOne(request: OpenRequest): Promise<void> {
    this.#waiting += 1;
    this.#inFlight += 1;
    let isWaiting = true;
    let isCancelled = false;
    const stopWaiting = () => {
      if (isWaiting) this.#waiting -= 1;
      isWaiting = false;
      this.#wake();
    };
    const mayLeave = () => {
      stopWaiting();
      isCancelled = this.#isOver;
      return !isCancelled;
    };
    try {
      const result = await this.#request(request, mayLeave);
      if (!isCancelled) this.#record(request, result);
      else this.#recordNotSent(request, 'cancelled');
    } catch (error) {
      this.#hasFailed = true;
      throw error;
    } finally {
      stopWaiting();
      this.#inFlight -= 1;
      this.#wake();
    }
  }

  /**
   * A thrown error means that the request could not be built; one that fails later may have arrived, and is in the result.
   */
  async #request(request: OpenRequest, mayLeave: () => boolean) {
    try {
      const batch = batchOf(this.#job.terms, request.sent);
      return await this.#trading.client.placeOrders(batch, { reqTime: request.reqTime, mayLeave });
    } catch (error) {
      this.#recordNotSent(request, 'the request could not be built');
      throw error;
    }
  }

  #record(
    request: OpenRequest,
    response: WriteResponse<{ readonly ids: readonly string[]; readonly message: string | null }>,
  ): void {
    const { number } = request;
    if (response.kind === 'notSent') {
      this.#stop(
        response.halted === true
          ? { kind: 'unrecorded', failure: notSentFailure('The rest', response, this.#job.id) }
          : { kind: 'notSent', reason: response.reason, failure: response.failure },
      );
      this.#recordNotSent(request, response.reason);
    } else if (response.kind === 'lost') {
      this.#stop({ kind: 'lost', reason: response.reason });
      this.#job.record(`request ${number}: no answer: ${response.reason}`, { kind: 'lost', request: number });
    } else if (response.kind === 'refused') {
      const { kind, code, message } = response.refusal;
      this.#stop({ kind: 'refused', refusal: response.refusal });
      this.#job.record(`request ${number} refused: ${code} ${message}`, {
        kind: 'refused',
        request: number,
        refusal: kind,
        code,
        message,
      });
      this.#answered += 1;
    } else if (this.#isStale(response.value.ids)) {
      const reason = 'the answer names orders of another request';
      this.#stop({ kind: 'lost', reason });
      this.#job.record(`request ${number}: ${reason}`, { kind: 'lost', request: number });
    } else {
      const { ids, message } = response.value;
      this.#job.record(`request ${number}: ${ids.length} of ${counted(request.sent.length, 'order')} accepted`, {
        kind: 'answered',
        request: number,
        ids,
        message: ids.length === request.sent.length || message === null ? null : quotation(message),
      });
      if (this.#job.openRequests.some((one) => one.number === number)) this.#stop({ kind: 'partial' });
      this.#answered += 1;
    }
  }

  /** Whether another write has one of these orders. The job itself knows those that were there before it. */
  #isStale(ids: readonly string[]): boolean {
    this.#others ??= ordersOfOthers(this.#trading.journal, this.#job);
    return ids.some((id) => this.#others?.has(id));
  }

  #recordNotSent({ number: request }: OpenRequest, reason: string): void {
    this.#job.record(`request ${request} did not leave: ${reason}`, { kind: 'notSent', request });
  }

  #stop(problem: SendProblem): void {
    this.#problem ??= problem;
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiters.push(resolve);
    });
  }

  #wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}

/** How long before the job another request may have been answered whose answer the network gives again. */
const STALE_MS = 3_600_000;

/** The orders of earlier writes of this journal, in any market. */
function ordersOfOthers(journal: Journal, { id: jobId, entry: { write } }: Job): Set<string> {
  const ids = new Set<string>();
  const addJob = (entry: JournalEntry<'batch'> | undefined) => {
    for (const id of entry === undefined ? [] : new Job(entry).orderIds) ids.add(id);
  };
  for (const entry of journal.unsettledEntries()) if (entry.isKind('batch') && entry.write.id !== jobId) addJob(entry);
  for (const settled of journal.archive.since(write.time - STALE_MS)) {
    const { write: earlierWrite } = settled;
    if (earlierWrite.id === jobId) continue;
    for (const id of ordersMadeBy(settled)) ids.add(id);
    if (isKind(earlierWrite, 'batch')) addJob(journal.findJob(earlierWrite.id));
  }
  return ids;
}

function chunked(lines: readonly number[]): number[][] {
  const count = Math.ceil(lines.length / MAX_PAIRS);
  return Array.from({ length: count }, (_, index) => lines.slice(index * MAX_PAIRS, (index + 1) * MAX_PAIRS));
}
