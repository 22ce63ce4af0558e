import type { Host } from '../platform/host.js';
import type { Redaction } from '../platform/redaction.js';
import { RehearsalClock } from '../platform/rehearsal-clock.js';
import type { TimeBudget } from '../platform/time-budget.js';
import { ExchangeClock, type OffsetStore } from './exchange-clock.js';
import { type Halt, stoppedBy } from './limiter/halt-record.js';
import type { Admission } from './limiter/latch.js';
import { Limiter, ownRateLimits, type RateLimits, type RequestPermit, type SendResult } from './limiter/limiter.js';
import type { Priority } from './limiter/permits.js';
import { type OperationName, type OperationNamed, operationOf } from './operations/index.js';
import type { OperationResult } from './operations/operation.js';
import { requestFailure } from './requests/failures.js';
import { type Credentials, type Hosts, type ParameterValues, requestUrl, type ValuesOf } from './requests/request.js';
import { BadStatus, Refused, readResponse, requireJson, UnexpectedResponse, wholeBody } from './requests/response.js';
import {
  get,
  type HttpResponse,
  Network,
  type SendRequest,
  TransportError,
  type TransportOptions,
} from './requests/transport.js';
import { CANCELLED, NO_TIME, WAITED_TOO_LONG, type WriteResponse, writeResponseOf } from './requests/write-response.js';

export interface ApiOptions {
  readonly host: Host;
  readonly hosts: Hosts;
  /** Returns the keys, or throws a Failure `credentials` that says what is missing. */
  readonly credentials: () => Credentials;
  readonly budget: TimeBudget;
  /** Keeps the offset of the trade host's clock between commands, for the first `reqTime`. Absent: it begins with this machine's. */
  readonly offsetStore?: () => OffsetStore;
  /** The clock of the market-data host, which clients of one host share. Absent: this client's own. */
  readonly marketClock?: ExchangeClock;
  /**
   * Starts the sandbox after a refused connection, when not a byte of the request was sent. Absent for other hosts.
   */
  readonly startSandbox?: () => Promise<void>;
  /** Returns the exchange's limits, shared with other processes. Absent: they count this client only. */
  readonly limits?: () => RateLimits;
  /** Returns why only cancellations may leave now; undefined if every write may. Absent: every write always may. */
  readonly halt?: () => Promise<Halt | undefined>;
  /** Asks whether a write that is no cancellation may leave now. Absent: it may. */
  readonly admit?: () => Promise<Admission>;
  /** Takes a line about each request, secrets already masked. */
  readonly trace?: (line: string) => void;
  /** The writes in progress, by operation. */
  readonly writesUnderWay?: Set<{ readonly name: string }>;
  /** Receives the whole body of the response to each write that was done. */
  readonly onWriteResponse?: (name: string, body: string) => void;
  /** Absent: Node's default CA certificates. */
  readonly network?: Network;
  /** Sends each request. Absent: over the network. */
  readonly send?: SendRequest;
  /** Aborts every request. A write that was sent may have been executed. */
  readonly signal?: AbortSignal | undefined;
  /** Whether another command may follow in this process, with a write of its own. */
  readonly staysOpen?: boolean;
}

/** Controls the time and the sending of a write. */
export interface WriteOptions {
  /**
   * Milliseconds since the Unix epoch (default: now). It decides how long a lost request may still be executed, so the
   * journal records it before the request is sent.
   */
  readonly reqTime?: number;
  /** Asked at the moment at which the request would be sent: false cancels it; after true, nobody can cancel it any more. */
  readonly mayLeave?: (() => boolean) | undefined;
  /** Whether it protects, such as the order of a reached stop: near the rate limit it may use the permits that are reserved for cancellations. */
  readonly isUrgent?: boolean | undefined;
}

type CallOptions = Pick<TransportOptions, 'freshConnection' | 'timeoutMs' | 'onResponse'>;

/** An operation, its parameters, and the function that reads its response. */
interface ApiRequest<Content> {
  readonly name: string;
  readonly values: ParameterValues;
  /** `requireTime` throws after the timeout, because a long response takes time to parse. */
  readonly read: (body: string, response: DatedResponse, requireTime: () => void) => Content;
}

interface DatedResponse extends HttpResponse {
  /** The earliest moment by the exchange's clock that the body can be of, in ms since the Unix epoch; null without a `Date`. */
  readonly asOf: number | null;
}

/** The longest that one read may take before it is tried again. */
const READ_TIMEOUT_MS = 10_000;
/** A write waits longer, because a lookup proves less than its own response. Half of the budget is kept for that lookup. */
const WRITE_TIMEOUT_MS = 15_000;
/** A write is sent only if this much time is left, or a tenth of a shorter budget, so that its response can come in time. */
const LEAST_FOR_WRITE_MS = 1_000;

const MAX_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;
/** The pause after a busy response. It may mean the K-line limit of one request a second, which other programs share. */
const BUSY_PAUSE_MS = 1_000;

/**
 * Operations that may use the reserved permits and leave while the account is halted, because a cancellation may be all that can
 * still limit a loss.
 */
const CANCELLING: ReadonlySet<string> = new Set<OperationName>(['cancelOrder', 'cancelAllOrdersAfter']);

/** The exchange by the interface's own names: signed HTTP calls of operations, with checked results. */
export class ExchangeApi {
  readonly #options: ApiOptions;

  #madeLimits: RateLimits | undefined;
  #madeLimiter: Limiter | undefined;
  #madeClock: ExchangeClock | undefined;
  readonly #marketClock: ExchangeClock;
  readonly #rehearsal: RehearsalClock | undefined;

  constructor(options: ApiOptions) {
    this.#options = options;

    this.#rehearsal = RehearsalClock.of(options.host);
    this.#marketClock = options.marketClock ?? new ExchangeClock(options.host, undefined, this.#rehearsal);
  }

  /**
   * The trade host's clock, in milliseconds since the Unix epoch. Before the first response of that host it is a guess, good
   * enough for a `reqTime`.
   */
  now(): number {
    return this.#clock.now();
  }

  /** Whether the trade host has shown its time to this process since this machine's clock was last set. */
  get isTimeKnown(): boolean {
    return this.#clock.isKnown;
  }

  /** The market-data host's clock, in milliseconds since the Unix epoch: this machine's before the first response of that host. */
  marketNow(): number {
    return this.#marketClock.now();
  }

  /** Whether the market-data host has shown its time to this process since this machine's clock was last set. */
  get isMarketTimeKnown(): boolean {
    return this.#marketClock.isKnown;
  }

  /** How many times as fast as this machine's clock that of the exchange runs: 1, except in a rehearsed program. */
  get clockSpeed(): number {
    return this.#rehearsal?.speed ?? 1;
  }

  get hosts(): Hosts {
    return this.#options.hosts;
  }

  /** When the lock of this machine's address ends, in milliseconds since the Unix epoch; undefined if none is known. */
  get lockedUntil(): number | undefined {
    return this.#limits.ipLock?.until;
  }

  /** Throws Failure `credentials` if a signed call could not be made. */
  requireKeys(): void {
    this.#options.credentials();
  }

  /**
   * Calls an operation that may be repeated. Retries with backoff and jitter within the time budget.
   * Throws Failure: `refused`, `limited`, `unreachable`, `credentials`, `usage`, or `internal` for a response that is not
   * what the interface says.
   */
  async read<Name extends OperationName>(
    name: Name,
    values: ValuesOf<Name>,
  ): Promise<OperationResult<OperationNamed<Name>>> {
    return this.#retryable(documentedRequest(name, values));
  }

  /**
   * Like {@link read}, with the earliest moment by the exchange's clock that the answer can be of, in milliseconds since the
   * Unix epoch; null if it shows none.
   */
  async readDated<Name extends OperationName>(
    name: Name,
    values: ValuesOf<Name>,
  ): Promise<{ readonly value: OperationResult<OperationNamed<Name>>; readonly asOf: number | null }> {
    return this.#retryable({
      name,
      values,
      read: (body, { asOf }, requireTime) => ({ value: readResponse(name, body, requireTime), asOf }),
    });
  }

  /** Like {@link read}, but returns the JSON body as it came, whatever its fields. */
  async readRaw(name: OperationName, values: ParameterValues): Promise<string> {
    return this.#retryable({ name, values, read: (body, _, requireTime) => wholeBody(name, body, requireTime) });
  }

  /**
   * Sends a read once and returns its HTTP response, even if the exchange refuses the request. Throws Failure as {@link read}
   * if no response of the interface came.
   */
  async probe(name: OperationName, values: ParameterValues): Promise<HttpResponse> {
    const read = (body: string, response: HttpResponse, requireTime: () => void) => {
      requireJson(name, body, requireTime);
      return response;
    };
    return this.#sendRead({ name, values, read }).catch((error) => {
      throw requestFailure(error, name, this.lockedUntil);
    });
  }

  /**
   * Whether the exchange accepts this `reqTime` (milliseconds since the Unix epoch) at all; asked once, with a read. Throws
   * Failure as {@link read} if no response came.
   */
  async acceptsReqTime<Name extends OperationName>(
    name: Name,
    values: ValuesOf<Name>,
    reqTime: number,
  ): Promise<boolean> {
    if (operationOf(name).effect !== 'read') throw new Error(`${name} changes something`);
    try {
      await this.#sendRead(documentedRequest(name, values), reqTime);
      return true;
    } catch (error) {
      if (!(error instanceof Refused) || wasNotProcessed(error)) throw requestFailure(error, name, this.lockedUntil);
      return error.kind !== 'expired';
    }
  }

  /**
   * Calls a write: one request on a fresh connection, never repeated.
   * Throws Failure `credentials` or `usage` before anything is sent; everything later is in the response.
   */
  async write<Name extends OperationName>(
    name: Name,
    values: ValuesOf<Name>,
    options?: WriteOptions,
  ): Promise<WriteResponse<OperationResult<OperationNamed<Name>>>> {
    return this.#sendWrite(documentedRequest(name, values), options);
  }

  /** Like {@link write}, for an operation that the interface does not describe. The value is the body of the response. */
  async rawCall(name: string, values: ParameterValues, options?: WriteOptions): Promise<WriteResponse<string>> {
    return this.#sendWrite(
      { name, values, read: (body, _, requireTime) => wholeBody(name, body, requireTime) },
      options,
    );
  }

  /**
   * Opens a connection in the background for the next write, so that it waits for no handshake. Fails silently: the write then opens its
   * own.
   */
  prepareWrite(): void {
    const { host, hosts, network = new Network(), send } = this.#options;
    if (send !== undefined) return;
    (async () => network.prepare(hosts.tradeUrl, host))().catch(() => undefined);
  }

  /** Why only cancellations may leave now; undefined if every write may. */
  async halt(): Promise<Halt | undefined> {
    return this.#options.halt?.();
  }

  // market data needs neither the trade host's clock nor most limits, so they are made when they are first needed

  get #clock(): ExchangeClock {
    const { host, offsetStore } = this.#options;
    this.#madeClock ??= new ExchangeClock(host, offsetStore?.(), this.#rehearsal);
    return this.#madeClock;
  }

  get #limits(): RateLimits {
    this.#madeLimits ??= this.#options.limits?.() ?? ownRateLimits(this.#options.host.monotonic);
    return this.#madeLimits;
  }

  get #limiter(): Limiter {
    this.#madeLimiter ??= new Limiter(this.#options.host, this.#options.budget, this.#limits);
    return this.#madeLimiter;
  }

  async #retryable<Content>(request: ApiRequest<Content>): Promise<Content> {
    const { access, effect } = operationOf(request.name);
    if (effect === 'write') throw new Error(`${request.name} is a write and is sent once`);
    try {
      return await this.#withRetries(() =>
        access === 'signed' ? this.#readWithCorrectedClock(request) : this.#sendRead(request),
      );
    } catch (error) {
      throw requestFailure(error, request.name, this.lockedUntil);
    }
  }

  /** Repeats an action until it succeeds, fails for good, or the budget does not allow another pause. */
  async #withRetries<Value>(action: () => Promise<Value>): Promise<Value> {
    const { host, budget } = this.#options;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await action();
      } catch (error) {
        const pauseMs = pauseAfter(error, attempt, host.random());
        if (attempt === MAX_ATTEMPTS || !isTransient(error) || !budget.allows(pauseMs)) throw error;
        await host.sleep(pauseMs);
      }
    }
  }

  /** Repeats a read once if its `reqTime` was refused: that response also shows the exchange's time. */
  async #readWithCorrectedClock<Content>(request: ApiRequest<Content>): Promise<Content> {
    const { offset } = this.#clock;
    try {
      return await this.#sendRead(request);
    } catch (error) {
      const isLate = error instanceof Refused && error.kind === 'expired';
      if (!isLate || this.#clock.offset === offset) throw error;
      return this.#sendRead(request);
    }
  }

  /** Sends a request that may be repeated, within the limits. `reqTime` is now if it is absent. */
  async #sendRead<Content>(request: ApiRequest<Content>, reqTime?: number): Promise<Content> {
    const { bucket, effect } = operationOf(request.name);
    const send = (onResponse?: () => void) => {
      const timeoutMs = Math.min(READ_TIMEOUT_MS, this.#options.budget.remainingMs);
      return this.#roundTrip(request, reqTime, { freshConnection: false, timeoutMs, onResponse });
    };
    if (bucket === 'none') return send();
    return withPermit(
      await this.#limiter.acquire({ bucket, priority: priorityOf(request.name), mayProbeLock: effect === 'read' }),
      send,
    );
  }

  async #sendWrite<Content>(request: ApiRequest<Content>, options: WriteOptions = {}): Promise<WriteResponse<Content>> {
    const { reqTime = this.now(), mayLeave = () => true, isUrgent = false } = options;
    const { budget } = this.#options;
    const leastMs = Math.min(LEAST_FOR_WRITE_MS, budget.milliseconds / 10);
    if (!budget.allows(leastMs)) return NO_TIME;
    this.#validate(request);
    let admission: Admission | undefined;
    try {
      const { bucket } = operationOf(request.name);
      const priority = isUrgent ? 'cancel' : priorityOf(request.name);
      const permit = await this.#limiter.acquire({ bucket, priority, mayProbeLock: false });
      // after the wait for the permit: `pit halt` waits for the requests that hold one
      if (!CANCELLING.has(request.name)) admission = await this.#options.admit?.();
      const stopped = whyStopped(admission?.halt, budget.allows(leastMs), mayLeave);
      if (stopped !== undefined) {
        await permit.cancel();
        return stopped;
      }
      const callOptions = { freshConnection: true, timeoutMs: Math.min(WRITE_TIMEOUT_MS, budget.remainingMs / 2) };
      this.#options.writesUnderWay?.add(request);
      const response = await withPermit(permit, (onResponse) =>
        this.#roundTrip(request, reqTime, { ...callOptions, onResponse }),
      );
      if (this.#options.staysOpen === true) this.prepareWrite();
      return { kind: 'done', value: response };
    } catch (error) {
      return writeResponseOf(error);
    } finally {
      this.#options.writesUnderWay?.delete(request);
      await admission?.ended();
    }
  }

  /** Finds every error in the request that can be found before anything is sent. */
  #validate({ name, values }: ApiRequest<unknown>): void {
    try {
      requestUrl(this.#options, name, values, () => this.now());
    } catch (error) {
      throw requestFailure(error, name);
    }
  }

  /** Sends the request once. If the sandbox refused the connection, nothing was sent: starts it and sends the request again. */
  async #roundTrip<Content>(
    request: ApiRequest<Content>,
    reqTime: number | undefined,
    callOptions: CallOptions,
  ): Promise<Content> {
    try {
      return await this.#send(request, reqTime, callOptions);
    } catch (error) {
      const { startSandbox } = this.#options;
      const isConnectionRefused =
        error instanceof TransportError && error.fault === 'connectionRefused' && !error.mayHaveBeenSent;
      if (!isConnectionRefused || startSandbox === undefined) throw error;
      await startSandbox();
      return this.#send(request, reqTime, callOptions);
    }
  }

  async #send<Content>(
    { name, values, read }: ApiRequest<Content>,
    reqTime: number | undefined,
    callOptions: CallOptions,
  ): Promise<Content> {
    const url = requestUrl(this.#options, name, values, () => reqTime ?? this.now());
    const { host, trace, onWriteResponse, network, signal, send = get } = this.#options;
    const start = host.monotonic();
    const report = (what: string) =>
      trace?.(`GET ${host.redaction.apply(url)} -> ${what}, ${host.monotonic() - start} ms`);
    try {
      const raw = await send(url, { ...callOptions, maxBytes: operationOf(name).maxBytes, network, signal });
      const tookMs = host.monotonic() - start;
      const asOf = raw.date === null ? null : raw.date - raw.ageMs - tookMs;
      const response = { ...raw, asOf, body: host.redaction.applyToData(raw.body) };
      const { status, body, retryAfter } = response;
      this.#adjustClock(name, raw, tookMs);
      report(`HTTP ${status}, ${body.length} characters`);
      if (!SUCCESS_STATUSES.has(status)) throw new BadStatus(status, retryAfter);
      const result = read(body, response, () => {
        if (host.monotonic() - start > callOptions.timeoutMs) throw new TransportError('timeout', true, TOO_LATE);
      });
      if (operationOf(name).effect !== 'read') onWriteResponse?.(name, body);
      return result;
    } catch (error) {
      if (error instanceof TransportError) report(error.message);
      throw withoutSecrets(error, host.redaction);
    }
  }

  /** Each host has its own clock. An answer from a cache shows none. */
  #adjustClock(name: string, { date, ageMs }: HttpResponse, tookMs: number): void {
    if (date === null || ageMs > 0) return;
    const received = this.#options.host.now();
    const clock = operationOf(name).access === 'public' ? this.#marketClock : this.#clock;
    clock.addSample({ date, sent: received - tookMs, received });
  }
}

/** The interface names no status. Some servers answer `201 Created` to a request that made something. */
const SUCCESS_STATUSES: ReadonlySet<number> = new Set([200, 201]);

const TOO_LATE = 'no time was left to read the answer';

/** Why a write may not leave; undefined if it may. */
function whyStopped(halt: Halt | undefined, isInTime: boolean, mayLeave: () => boolean) {
  if (halt !== undefined) return stoppedBy(halt);
  if (!isInTime) return WAITED_TOO_LONG;
  return mayLeave() ? undefined : CANCELLED;
}

function priorityOf(name: string): Priority {
  return CANCELLING.has(name) ? 'cancel' : 'common';
}

/** The error with its secrets masked: it may quote a response that repeats the request with its keys. */
function withoutSecrets(thrown: unknown, redaction: Redaction): unknown {
  if (thrown instanceof Refused) return new Refused(thrown.code, redaction.apply(thrown.message), thrown.kind);
  return thrown instanceof UnexpectedResponse
    ? new UnexpectedResponse(redaction.apply(thrown.message), thrown.form)
    : thrown;
}

function documentedRequest<Name extends OperationName>(
  name: Name,
  values: ValuesOf<Name>,
): ApiRequest<OperationResult<OperationNamed<Name>>> {
  return { name, values, read: (body, _, requireTime) => readResponse(name, body, requireTime) };
}

/** Sends a request with a permit and then ends the permit, which stays taken for a second after the response. */
async function withPermit<Value>(
  permit: RequestPermit,
  send: (onResponse: () => void) => Promise<Value>,
): Promise<Value> {
  let result: SendResult = 'nothing';
  try {
    const value = await send(permit.responded);
    result = 'response';
    return value;
  } catch (error) {
    if (error instanceof Refused) result = error.kind === 'locked' ? 'lock' : 'response';
    throw error;
  } finally {
    await permit.end(result);
  }
}

/** The pause doubles with each attempt. Part of it is random, so that many clients do not retry at the same time. */
function pauseAfter(error: unknown, attempt: number, chance: number): number {
  if (error instanceof Refused && isThrottled(error)) return BUSY_PAUSE_MS * (1 + chance / 2);
  return FIRST_PAUSE_MS * 2 ** (attempt - 1) * (0.5 + chance / 2);
}

/** Whether the same request may succeed in a moment. */
function isTransient(error: unknown): boolean {
  if (error instanceof TransportError) return !['certificate', 'tooLong', 'cancelled'].includes(error.fault);
  if (error instanceof BadStatus) return error.status >= 500;
  if (error instanceof UnexpectedResponse) return error.form !== 'json';
  return error instanceof Refused && isThrottled(error);
}

/** Whether a limit per second was reached, which other programs share: "requests beyond 60 are treated as invalid". */
function isThrottled({ kind }: Refused): boolean {
  return kind === 'busy' || kind === 'tooFrequent';
}

/** Whether the request was refused because of earlier requests, and not processed. */
function wasNotProcessed(refusal: Refused): boolean {
  return isThrottled(refusal) || refusal.kind === 'locked';
}
