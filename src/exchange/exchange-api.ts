import type { Call, ClientOptions } from './call.js';
import { ExchangeClock } from './exchange-clock.js';
import { BadStatus, failureOf } from './failures.js';
import { inTurn } from './limiter/in-turn.js';
import { Limiter, type Limits, type Turn } from './limiter/limiter.js';
import { ownLimits } from './limiter/own-limits.js';
import { laneOf } from './limiter/permits.js';
import { OBSERVED } from './observed-codes.js';
import { type OperationName, type OperationNamed, operationOf } from './operations/index.js';
import type { Result } from './operations/operation.js';
import type { Given, Hosts, ValuesOf } from './request.js';
import { requestUrl } from './request-url.js';
import { Refused, readResponse, requireJson, wholeBody } from './response.js';
import { attempts } from './retry.js';
import { type Delivery, get, type HttpAnswer, TransportError } from './transport.js';
import { isUnread, NO_TIME, TAKEN_BACK, type Verdict, verdictOf, WAITED_TOO_LONG } from './verdict.js';

export type { ClientOptions } from './call.js';
export type { Verdict } from './verdict.js';

/** The longest that one read may take before it is tried again. */
const READ_TIMEOUT_MS = 10_000;
/** A write waits longer, because an answer is worth more than asking for it afterwards; half of the budget is kept for that. */
const WRITE_TIMEOUT_MS = 15_000;
/** With less than this left, or than a tenth of a short budget, a write does not leave: its answer could hardly come in time. */
const LEAST_FOR_WRITE_MS = 1_000;

/** The signed HTTP layer: calls an operation by its name, with the interface's own names, and returns its checked result. */
export class ExchangeApi {
  readonly #options: ClientOptions;
  readonly #limits: Limits;
  readonly #limiter: Limiter;
  readonly #clock: ExchangeClock;

  constructor(options: ClientOptions) {
    const { host, budget, clockMemory, limits = ownLimits(host.now) } = options;
    this.#options = options;
    this.#limits = limits;
    this.#limiter = new Limiter(host, budget, limits);
    this.#clock = new ExchangeClock(host, clockMemory);
  }

  /** The exchange's clock as far as its answers told of it, in milliseconds since the Unix epoch. */
  now(): number {
    return this.#clock.now();
  }

  /** What the caller prints of where a write would go. */
  get hosts(): Hosts {
    return this.#options.hosts;
  }

  /** When the lock of this machine's address ends, in milliseconds since the Unix epoch; undefined where none is known. */
  get lockedUntil(): number | undefined {
    return this.#limits.breaker?.until;
  }

  /** Throws Failure `credentials` where a signed call could not be made. */
  requireKeys(): void {
    this.#options.credentials();
  }

  /**
   * Calls an operation that may be repeated. Retries with backoff and jitter within the time budget.
   * Throws Failure: `refused`, `limited`, `unreachable`, `credentials`, `usage`, or `internal` for an answer that is not
   * what the interface says.
   */
  async read<Name extends OperationName>(name: Name, values: ValuesOf<Name>): Promise<Result<OperationNamed<Name>>> {
    return this.#repeatable(this.#described(name, values));
  }

  /** The same with the body as it came, whatever its fields: only JSON it must be. Throws Failure as {@link read}. */
  async ask(name: OperationName, values: Given): Promise<string> {
    return this.#repeatable({ name, values, read: (body) => wholeBody(name, body) });
  }

  #described<Name extends OperationName>(name: Name, values: ValuesOf<Name>): Call<Result<OperationNamed<Name>>> {
    return { name, values, read: (body) => readResponse(name, body) };
  }

  async #repeatable<Answer>(call: Call<Answer>): Promise<Answer> {
    const { host, budget } = this.#options;
    if (operationOf(call.name).effect === 'write') throw new Error(`${call.name} is a write and is sent once`);
    try {
      return await attempts(host, budget, () => this.#readInTime(call));
    } catch (error) {
      throw failureOf(error, call.name, this.lockedUntil);
    }
  }

  /**
   * One answer to a read, refused or not, with what it tells of the host beside its body. Throws Failure as {@link read}
   * where none came that the interface could have sent.
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
   * Whether the exchange looks at a request with this `reqTime` (milliseconds since the Unix epoch) at all. Asks with an
   * operation that changes nothing, once. Throws Failure as {@link read} where no answer came.
   */
  async takes<Name extends OperationName>(name: Name, values: ValuesOf<Name>, reqTime: number): Promise<boolean> {
    if (operationOf(name).effect !== 'read') throw new Error(`${name} changes something`);
    try {
      await this.#paced(this.#described(name, values), reqTime);
      return true;
    } catch (error) {
      if (!(error instanceof Refused) || isUnread(error)) throw failureOf(error, name, this.lockedUntil);
      return error.code !== OBSERVED.expired;
    }
  }

  /**
   * Calls a write: one request on a fresh connection, never repeated, whatever happens to it.
   * Throws Failure `credentials` or `usage` before anything is sent; everything later is in the verdict.
   *
   * @param reqTime milliseconds since the Unix epoch: until how long after it the exchange takes the request decides how
   *   long a lost one may still be executed, so that who records it must know it beforehand
   * @param goes asked at the very moment at which it would leave: false takes it back
   */
  async write<Name extends OperationName>(
    name: Name,
    values: ValuesOf<Name>,
    reqTime = this.now(),
    goes: () => boolean = () => true,
  ): Promise<Verdict<Result<OperationNamed<Name>>>> {
    return this.#once(this.#described(name, values), reqTime, goes);
  }

  /** The same for an operation that the interface does not describe; the answer is its body. Throws as {@link write}. */
  async call(name: string, values: Given, reqTime = this.now(), goes?: () => boolean): Promise<Verdict<string>> {
    return this.#once({ name, values, read: (body) => wholeBody(name, body) }, reqTime, goes);
  }

  async #once<Answer>(call: Call<Answer>, reqTime: number, goes = () => true): Promise<Verdict<Answer>> {
    const { budget } = this.#options;
    const leastMs = Math.min(LEAST_FOR_WRITE_MS, budget.milliseconds / 10);
    if (!budget.allows(leastMs)) return NO_TIME;
    this.#check(call);
    try {
      const turn = await this.#turn(call);
      const stopped = budget.allows(leastMs) ? (goes() ? undefined : TAKEN_BACK) : WAITED_TOO_LONG;
      if (stopped !== undefined) {
        await turn.unused();
        return stopped;
      }
      const delivery = { fresh: true, timeoutMs: Math.min(WRITE_TIMEOUT_MS, budget.leftMs / 2) };
      return { kind: 'done', answer: await inTurn(turn, () => this.#exchange(call, reqTime, delivery)) };
    } catch (error) {
      return verdictOf(error);
    }
  }

  /** A clock that is wrong is found out by the very answer that refuses its time, and the next attempt has the right one. */
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
    const { budget } = this.#options;
    const turn = await this.#turn(call);
    const timeoutMs = Math.min(READ_TIMEOUT_MS, budget.leftMs);
    return inTurn(turn, () => this.#exchange(call, reqTime, { fresh: false, timeoutMs }));
  }

  #turn({ name }: Pick<Call<unknown>, 'name'>): Promise<Turn> {
    const { bucket, effect } = operationOf(name);
    return this.#limiter.turn({ bucket, lane: laneOf(name), mayTry: effect === 'read' });
  }

  /** Everything that can be wrong before anything is sent. */
  #check(call: Call<unknown>): void {
    try {
      this.#url(call, this.now());
    } catch (error) {
      throw failureOf(error, call.name);
    }
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

  async #send<Answer>(call: Call<Answer>, reqTime: number, delivery: Delivery): Promise<Answer> {
    const { name } = call;
    const url = this.#url(call, reqTime);
    const { host, trace, heard, network } = this.#options;
    const start = host.now();
    try {
      const whole = await get(url, { ...delivery, network });
      const { status, body, date } = whole;
      this.#learn(name, date, start);
      trace?.(
        `GET ${host.redaction.apply(url)} -> HTTP ${status}, ${body.length} characters, ${host.now() - start} ms`,
      );
      if (status !== 200) throw new BadStatus(status);
      const answer = call.read(body, whole);
      if (operationOf(name).effect !== 'read') heard?.(name, body);
      return answer;
    } catch (error) {
      if (error instanceof TransportError)
        trace?.(`GET ${host.redaction.apply(url)} -> ${error.message}, ${host.now() - start} ms`);
      throw error;
    }
  }

  /** Only the trade host's clock counts: it judges `reqTime`, and market data may come out of somebody's cache. */
  #learn(name: string, date: number | null, sent: number): void {
    if (date === null || operationOf(name).access !== 'signed') return;
    this.#clock.learn({ date, sent, received: this.#options.host.now() });
  }

  #url({ name, values }: Pick<Call<unknown>, 'name' | 'values'>, reqTime: number): string {
    return requestUrl(this.#options, name, values, reqTime);
  }
}
