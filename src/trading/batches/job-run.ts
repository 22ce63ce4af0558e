import { once } from 'node:events';
import { counted } from '../../domain/decimal.js';
import type { Refusal, RefusalKind } from '../../domain/refusal.js';
import type { Failure } from '../../errors.js';
import { backoffMs } from '../../platform/backoff.js';
import { expiresAt } from '../settling/reconcile.js';
import { endJob } from '../settling/settle-job.js';
import {
  checkForDuplicates,
  MAY_STILL_ARRIVE,
  settleAllLines,
  settleEarlierLines,
  settleLines,
} from '../settling/settle-lines.js';
import type { TradingContext } from '../trading-context.js';
import { BatchSender, type CheckLines, type SendProblem } from './batch-sender.js';
import type { Job } from './job.js';

/** Why a run of a job ended. Only `finished` leaves nothing to be sent. */
export type Ending =
  | { readonly kind: 'finished' | 'time' | 'interrupted' }
  | { readonly kind: 'lost' | 'unreachable'; readonly reason: string }
  /** The exchange's limits leave no room for a request. */
  | { readonly kind: 'limited'; readonly reason: string }
  | { readonly kind: 'limited' | 'refused'; readonly refusal: Refusal }
  | { readonly kind: 'unrecorded'; readonly failure: Failure };

/** What the run is doing, for the user who waits. */
export type Phase = 'settling' | 'placing' | 'waiting' | 'checking' | 'stopping';

/** Consecutive failures before the job gives up. */
const MAX_SETBACKS = 4;
const NOT_SENT_PAUSES_MS = { first: 300, longest: 4_800 };
/** The limit counts by the second. */
const RATE_PAUSE_MS = 1_100;
/** The pauses before the second and the third lookup of an unanswered request; after that the job stops. */
const LOOKUP_PAUSES_MS = [300, 700];

/** The next order would be refused too: these are about the key, the account, the market or the exchange, not about the order. */
const REFUSES_EVERY_ORDER: ReadonlySet<RefusalKind> = new Set([
  'badKey',
  'noPermission',
  'badOrigin',
  'closed',
  'inTrouble',
]);

/** Waits for temporary refusals before the job ends. */
const MAX_WAITS = 2;

/** Runs a job from its current state to its end, or until a signal. */
export class JobRun {
  readonly #trading: TradingContext;

  readonly #signal: AbortSignal;
  readonly #sender: BatchSender;
  #isReleased = false;
  #phase: Phase = 'placing';
  #setbacks = 0;
  /** How the job ends if the requests that were refused temporarily are not to be sent again. */
  #temporaryRefusal: Ending = { kind: 'lost', reason: MAY_STILL_ARRIVE };
  /** When the check for repeated requests began; undefined if it failed, null if it was not tried. */
  #checked: number | undefined | null = null;

  /** @param signal ends the run: nothing more is sent, and the answers to what was sent are waited for */
  constructor(
    trading: TradingContext,
    readonly job: Job,
    signal: AbortSignal,
    check?: CheckLines,
  ) {
    this.#trading = trading;
    this.#signal = signal;
    this.#sender = new BatchSender(trading, job, signal, check);
  }

  get phase(): Phase {
    return this.#signal.aborted ? 'stopping' : this.#phase;
  }

  /** Whether only the check for repeated requests is left, and is running. */
  get isBeingChecked(): boolean {
    return this.#phase === 'checking' && this.#checked === null;
  }

  /** Whether the check for repeated requests succeeded; null if it was not tried. */
  get isChecked(): boolean | null {
    return this.#checked === null ? null : this.#checked !== undefined;
  }

  /**
   * First looks up what an earlier run left unknown, then sends what may be sent. However it ends, the journal knows how far
   * it came.
   */
  run(): Promise<Ending> {
    return Promise.race([this.#runToEnd(), this.#interrupted()]);
  }

  /** Ends the record of a run that the signal has ended, even if answers have not come. */
  release(): void {
    this.#end('interrupted');
  }

  async #runToEnd(): Promise<Ending> {
    try {
      const reason = await this.#sendToEnd();
      if (this.#signal.aborted) return await this.#interrupted();
      const isSettled = this.job.openRequests.length === 0;
      const ending: Ending = isSettled && this.job.unsent().length === 0 ? { kind: 'finished' } : reason;
      if (isSettled && this.job.counts().placed > 0) await this.#check();
      if (this.#signal.aborted) return await this.#interrupted();
      this.#end(ending.kind, this.#checked ?? undefined);
      return ending;
    } catch (error) {
      this.#end('a defect');
      throw error;
    }
  }

  /** Resolves once the signal is aborted and what was sent is answered: what else the run waits for is left. */
  async #interrupted(): Promise<Ending> {
    if (!this.#signal.aborted) await once(this.#signal, 'abort');
    await this.#sender.idle();
    this.release();
    return { kind: 'interrupted' };
  }

  #end(why: string, checkedTo?: number): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    endJob(this.job, why, checkedTo);
  }

  async #sendToEnd(): Promise<Ending> {
    const reason = await this.#settleEarlier();
    if (reason !== undefined) return { kind: 'lost', reason };
    for (let waits = 1; ; waits += 1) {
      const ending = await this.#sendAll();
      if (this.#signal.aborted || ending.kind === 'lost' || this.job.openRequests.length === 0) return ending;
      await this.#waitUntilExpired();
      if (ending.kind !== 'finished') return ending;
      if (this.job.openRequests.length > 0 || waits === MAX_WAITS) return this.#temporaryRefusal;
    }
  }

  /** Sends what may be sent; finished if the rest is unknown. */
  async #sendAll(): Promise<Ending> {
    for (;;) {
      const lines = this.job.unsent();
      if (lines.length === 0) return { kind: 'finished' };
      this.#phase = 'placing';
      const answered = this.#sender.answered;
      const problem = await this.#sender.send(lines);
      if (this.#signal.aborted) return { kind: 'interrupted' };
      if (this.#sender.answered > answered && problem?.kind !== 'refused') this.#setbacks = 0;
      const ending = problem === undefined ? undefined : await this.#handleProblem(problem);
      if (ending !== undefined) return ending;
    }
  }

  /** Waits until all temporarily refused requests have expired, for which the lookup adds time to the budget. */
  async #waitUntilExpired(): Promise<void> {
    const { job } = this;
    const trading = this.#trading;
    this.#phase = 'waiting';
    const { unknown } = job.counts();
    trading.reportProgress(
      `The exchange rejected ${counted(unknown, 'order')} for now. Waiting until the requests expire; only then can they be sent again.`,
    );
    await settleAllLines(trading, job);
  }

  /** Why something of earlier runs is unknown; undefined if nothing is. */
  async #settleEarlier(): Promise<string | undefined> {
    const { job } = this;
    const trading = this.#trading;
    this.#phase = 'settling';
    this.#allowForPending();
    return settleEarlierLines(trading, job);
  }

  /** An unknown outcome is certain only when the request has expired. */
  #allowForPending(): void {
    const { client, budget, requestLifetimeMs } = this.#trading;
    const latest = Math.max(0, ...this.job.openRequests.map(({ reqTime }) => reqTime));
    budget.extend(Math.max(0, expiresAt(latest, requestLifetimeMs) - client.now()));
  }

  /** The result; undefined if the job continues. */
  async #handleProblem(problem: SendProblem): Promise<Ending | undefined> {
    if (problem.kind === 'lost')
      this.#trading.reportProgress(`No answer: ${problem.reason}. Looking up the orders; they are not sent again.`);
    if (this.#hasUnknown && !(await this.#lookUpBriefly())) {
      this.#phase = 'waiting';
      await settleAllLines(this.#trading, this.job);
      const reason = 'reason' in problem ? problem.reason : 'the lists of orders could not be read';
      return { kind: 'lost', reason };
    }
    if (problem.kind === 'time') return { kind: 'time' };
    if (problem.kind === 'unrecorded') return problem;
    if (problem.kind === 'notSent') return this.#handleNotSent(problem);
    return problem.kind === 'refused' ? this.#handleRefusal(problem.refusal) : undefined;
  }

  /** A lock, or permits that others use up until the time is over: the next request would fail too. */
  async #handleNotSent({ reason, failure }: Extract<SendProblem, { kind: 'notSent' }>): Promise<Ending | undefined> {
    if (failure === 'limited') return { kind: 'limited', reason };
    return this.#retryLater(backoffMs(this.#setbacks, NOT_SENT_PAUSES_MS), { kind: 'unreachable', reason });
  }

  #handleRefusal(refusal: Refusal): Promise<Ending | undefined> | Ending | undefined {
    if (refusal.kind === 'locked') return { kind: 'limited', refusal };
    if (refusal.kind === 'tooFrequent' || refusal.kind === 'expired') {
      const isRate = refusal.kind === 'tooFrequent';
      this.#temporaryRefusal = { kind: isRate ? 'limited' : 'refused', refusal };
      // the answer has shown what the clock is off by
      return this.#retryLater(isRate ? RATE_PAUSE_MS : 0, this.#temporaryRefusal);
    }
    return REFUSES_EVERY_ORDER.has(refusal.kind) ? { kind: 'refused', refusal } : undefined;
  }

  /** Continues after a pause, unless this happened several times in a row. */
  async #retryLater(pauseMs: number, ending: Ending): Promise<Ending | undefined> {
    const { host, budget } = this.#trading;
    this.#setbacks += 1;
    const pause = pauseMs * (1 + host.random() / 2);
    if (this.#setbacks > MAX_SETBACKS || !budget.allows(pause)) return ending;
    this.#phase = 'waiting';
    await host.sleep(pause);
    return undefined;
  }

  /** Whether an outcome has to be known before anything more is sent. Temporary refusals can wait. */
  get #hasUnknown(): boolean {
    return this.job.openRequests.some(({ response }) => typeof response !== 'object' || !response.isTemporary);
  }

  /** Whether all such outcomes are known after a few lookups. */
  async #lookUpBriefly(): Promise<boolean> {
    const { job } = this;
    const trading = this.#trading;
    this.#phase = 'settling';
    await settleLines(trading, job);
    for (const pause of LOOKUP_PAUSES_MS) {
      if (!this.#hasUnknown || !trading.budget.allows(pause)) break;
      await trading.host.sleep(pause);
      await settleLines(trading, job);
    }
    return !this.#hasUnknown;
  }

  async #check(): Promise<void> {
    this.#phase = 'checking';
    this.#checked = await checkForDuplicates(this.#trading, this.job);
  }
}
