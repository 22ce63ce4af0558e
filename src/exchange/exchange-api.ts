import type { Host } from '../platform/host.js';
import type { Budget } from './budget.js';
import { type ClockMemory, ExchangeClock } from './exchange-clock.js';
import { BadStatus, failureOf } from './failures.js';
import { Limiter, type Turn, type TurnEnd } from './limiter/limiter.js';
import { type Limits, ownLimits } from './limiter/limits.js';
import { OBSERVED } from './observed-codes.js';
import { type OperationName, type OperationNamed, operationOf } from './operations/index.js';
import type { Result } from './operations/operation.js';
import { type Credentials, type Given, type Hosts, requestUrl, type ValuesOf } from './request.js';
import { Refused, readResponse, requireJson, wholeBody } from './response.js';
import { withRetries } from './retry.js';
import { type Delivery, get, type HttpAnswer, type Network, TransportError } from './transport.js';
import { CANCELLED, NO_TIME, outcomeOf, WAITED_TOO_LONG, type WriteOutcome } from './write-outcome.js';

export interface ApiOptions {
  readonly host: Host;
  readonly hosts: Hosts;
  /** Returns the keys, or throws a Failure `credentials` that says what is missing. */
  readonly credentials: () => Credentials;
  readonly budget: Budget;
  /** Keeps what is known of the exchange's clock. Absent: it is measured again. */
  readonly clockMemory?: ClockMemory;
  /**
   * Called if the host refused the connection, so that not a byte of the request left: starts what should be there.
   * Absent for hosts that are not pit's to start.
   */
  readonly revive?: () => Promise<void>;
  /** The exchange's limits, shared with other processes. Absent: this client keeps them alone. */
  readonly limits?: Limits;
  /** Takes a line about each request, secrets already masked. */
  readonly trace?: (line: string) => void;
  /** Takes the whole body of each answer to a write that was done. */
  readonly heard?: (name: string, body: string) => void;
  /** Absent: no proxy, and the well-known authorities. */
  readonly network?: Network;
}

/** An operation with its values, and what to make of the body of its answer. */
interface Call<Answer> {
  readonly name: string;
  readonly values: Given;
  readonly read: (body: string, answer: HttpAnswer) => Answer;
}

/** The longest one read may take before it is tried again. */
const READ_TIMEOUT_MS = 10_000;
/** A write waits longer: its answer is worth more than asking for it later. Half of the budget is kept for that. */
const WRITE_TIMEOUT_MS = 15_000;
/** With less than this left, or less than a tenth of a short budget, a write does not leave: its answer could hardly come in time. */
const LEAST_FOR_WRITE_MS = 1_000;

/** Cancellations have permits of their own: they may be all that can still limit a loss. */
const CANCELLING: ReadonlySet<string> = new Set<OperationName>(['cancelOrder', 'cancelAllOrdersAfter']);

/** The exchange by the interface's own names: signed HTTP calls of operations, with checked results. */
export class ExchangeApi {
  readonly #options: ApiOptions;
  readonly #limits: Limits;
  readonly #limiter: Limiter;
  readonly #clock: ExchangeClock;

  constructor(options: ApiOptions) {
    const { host, budget, clockMemory, limits = ownLimits(host.now) } = options;
    this.#options = options;
    this.#limits = limits;
    this.#limiter = new Limiter(host, budget, limits);
    this.#clock = new ExchangeClock(host, clockMemory);
  }

  /** The exchange's clock, estimated from its answers, in milliseconds since the Unix epoch. */
  now(): number {
    return this.#clock.now();
  }

  get hosts(): Hosts {
    return this.#options.hosts;
  }

  /** When the lock of this machine's address ends, in milliseconds since the Unix epoch; undefined if none is known. */
  get lockedUntil(): number | undefined {
    return this.#limits.breaker?.until;
  }

  /** Throws Failure `credentials` if a signed call could not be made. */
  requireKeys(): void {
    this.#options.credentials();
  }

  /**
   * Calls an operation that may be repeated. Retries with backoff and jitter within the time budget.
   * Throws Failure: `refused`, `limited`, `unreachable`, `credentials`, `usage`, or `internal` for an answer that is not
   * what the interface says.
   */
  async read<Name extends OperationName>(name: Name, values: ValuesOf<Name>): Promise<Result<OperationNamed<Name>>> {
    return this.#repeatable(described(name, values));
  }

  /** The same, with the body as it came, whatever its fields; it must be JSON. Throws Failure as {@link read}. */
  async ask(name: OperationName, values: Given): Promise<string> {
    return this.#repeatable({ name, values, read: (body) => wholeBody(name, body) });
  }

  /**
   * One answer to a read, refused or not, with what it shows of the host. Throws Failure as {@link read} if no answer came
   * that the interface could have sent.
   */
  async probe(name: OperationName, values: Given): Promise<HttpAnswer> {
    const read = (body: string, answer: HttpAnswer) => {
      requireJson(name, body);
      return answer;
    };
    return this.#paced({ name, values, read }, this.now()).catch((error) => {
      throw failureOf(error, name, this.lockedUntil);
    });
  }

  /**
   * Whether the exchange accepts this `reqTime` (milliseconds since the Unix epoch) at all; asked once, with a read. Throws
   * Failure as {@link read} if no answer came.
   */
  async takes<Name extends OperationName>(name: Name, values: ValuesOf<Name>, reqTime: number): Promise<boolean> {
    if (operationOf(name).effect !== 'read') throw new Error(`${name} changes something`);
    try {
      await this.#paced(described(name, values), reqTime);
      return true;
    } catch (error) {
      if (!(error instanceof Refused) || isUnread(error)) throw failureOf(error, name, this.lockedUntil);
      return error.code !== OBSERVED.expired;
    }
  }

  /**
   * Calls a write: one request on a fresh connection, never repeated.
   * Throws Failure `credentials` or `usage` before anything is sent; everything later is in the outcome.
   *
   * @param reqTime milliseconds since the Unix epoch: it decides how long a lost request may still be executed, so whoever
   *   records the request must know it beforehand
   * @param mayLeave asked at the moment the request would leave: false cancels it
   */
  async write<Name extends OperationName>(
    name: Name,
    values: ValuesOf<Name>,
    reqTime?: number,
    mayLeave?: () => boolean,
  ): Promise<WriteOutcome<Result<OperationNamed<Name>>>> {
    return this.#once(described(name, values), reqTime, mayLeave);
  }

  /** The same for an operation the interface does not describe; the answer is its body. Throws as {@link write}. */
  async call(name: string, values: Given, reqTime?: number, mayLeave?: () => boolean): Promise<WriteOutcome<string>> {
    return this.#once({ name, values, read: (body) => wholeBody(name, body) }, reqTime, mayLeave);
  }

  async #repeatable<Answer>(call: Call<Answer>): Promise<Answer> {
    const { host, budget } = this.#options;
    if (operationOf(call.name).effect === 'write') throw new Error(`${call.name} is a write and is sent once`);
    try {
      return await withRetries(host, budget, () => this.#readInTime(call));
    } catch (error) {
      throw failureOf(error, call.name, this.lockedUntil);
    }
  }

  /** The answer that refuses a wrong `reqTime` also shows the right time, so the next attempt has it. */
  async #readInTime<Answer>(call: Call<Answer>): Promise<Answer> {
    const { offset } = this.#clock;
    try {
      return await this.#paced(call, this.now());
    } catch (error) {
      const isLate = error instanceof Refused && error.code === OBSERVED.expired;
      if (!isLate || this.#clock.offset === offset) throw error;
      return this.#paced(call, this.now());
    }
  }

  async #paced<Answer>(call: Call<Answer>, reqTime: number): Promise<Answer> {
    const turn = await this.#turn(call.name);
    const timeoutMs = Math.min(READ_TIMEOUT_MS, this.#options.budget.leftMs);
    return inTurn(turn, () => this.#exchange(call, reqTime, { fresh: false, timeoutMs }));
  }

  async #once<Answer>(call: Call<Answer>, reqTime = this.now(), mayLeave = () => true): Promise<WriteOutcome<Answer>> {
    const { budget } = this.#options;
    const leastMs = Math.min(LEAST_FOR_WRITE_MS, budget.milliseconds / 10);
    if (!budget.allows(leastMs)) return NO_TIME;
    this.#check(call);
    try {
      const turn = await this.#turn(call.name);
      const stopped = budget.allows(leastMs) ? (mayLeave() ? undefined : CANCELLED) : WAITED_TOO_LONG;
      if (stopped !== undefined) {
        await turn.unused();
        return stopped;
      }
      const delivery = { fresh: true, timeoutMs: Math.min(WRITE_TIMEOUT_MS, budget.leftMs / 2) };
      return { kind: 'done', answer: await inTurn(turn, () => this.#exchange(call, reqTime, delivery)) };
    } catch (error) {
      return outcomeOf(error);
    }
  }

  /** Throws for everything that can be wrong before anything is sent. */
  #check({ name, values }: Call<unknown>): void {
    try {
      requestUrl(this.#options, name, values, this.now());
    } catch (error) {
      throw failureOf(error, name);
    }
  }

  #turn(name: string): Promise<Turn> {
    const { bucket, effect } = operationOf(name);
    const lane = CANCELLING.has(name) ? 'cancel' : 'common';
    return this.#limiter.turn({ bucket, lane, mayTry: effect === 'read' });
  }

  async #exchange<Answer>(call: Call<Answer>, reqTime: number, delivery: Delivery): Promise<Answer> {
    try {
      return await this.#send(call, reqTime, delivery);
    } catch (error) {
      const { revive } = this.#options;
      const nobodyThere = error instanceof TransportError && error.fault === 'refused' && !error.sent;
      if (!nobodyThere || revive === undefined) throw error;
      await revive();
      return this.#send(call, reqTime, delivery);
    }
  }

  async #send<Answer>({ name, values, read }: Call<Answer>, reqTime: number, delivery: Delivery): Promise<Answer> {
    const url = requestUrl(this.#options, name, values, reqTime);
    const { host, trace, heard, network } = this.#options;
    const start = host.now();
    const tell = (what: string) => trace?.(`GET ${host.redaction.apply(url)} -> ${what}, ${host.now() - start} ms`);
    try {
      const whole = await get(url, { ...delivery, network });
      const { status, body, date } = whole;
      this.#learn(name, date, start);
      tell(`HTTP ${status}, ${body.length} characters`);
      if (status !== 200) throw new BadStatus(status);
      const answer = read(body, whole);
      if (operationOf(name).effect !== 'read') heard?.(name, body);
      return answer;
    } catch (error) {
      if (error instanceof TransportError) tell(error.message);
      throw error;
    }
  }

  /** Only the trade host's clock counts: it judges `reqTime`, and market data may come out of somebody's cache. */
  #learn(name: string, date: number | null, sent: number): void {
    if (date === null || operationOf(name).access !== 'signed') return;
    this.#clock.learn({ date, sent, received: this.#options.host.now() });
  }
}

function described<Name extends OperationName>(name: Name, values: ValuesOf<Name>): Call<Result<OperationNamed<Name>>> {
  return { name, values, read: (body) => readResponse(name, body) };
}

/** Sends a request within its turn. The exchange counts a request before it answers, so the turn ends with the answer. */
async function inTurn<Value>(turn: Turn, send: () => Promise<Value>): Promise<Value> {
  let turnEnd: TurnEnd = 'nothing';
  try {
    const value = await send();
    turnEnd = 'answer';
    return value;
  } catch (error) {
    if (error instanceof Refused) turnEnd = error.code === OBSERVED.locked ? 'lock' : 'answer';
    throw error;
  } finally {
    await turn.over(turnEnd);
  }
}

/** Refused because of earlier requests: the exchange did not process this one. */
function isUnread({ code, busy }: Refused): boolean {
  return busy || code === OBSERVED.tooFrequent || code === OBSERVED.locked;
}
