import type { Host } from '../host.js';
import type { Operation, Result } from '../protocol/operation.js';
import { type OperationName, type OperationNamed, operations } from '../protocol/operations/index.js';
import {
  type Credentials,
  checkedParameters,
  type Hosts,
  marketDataUrl,
  openUrl,
  signedUrl,
  type ValuesOf,
} from '../protocol/request.js';
import { Refused, readResponse } from '../protocol/response.js';
import type { Answered } from './answered.js';
import type { Budget } from './budget.js';
import { type ClockMemory, ExchangeClock } from './exchange-clock.js';
import { BadStatus, failureOf } from './failures.js';
import { requireSafeHost } from './hosts.js';
import { inTurn } from './limiter/in-turn.js';
import { Limiter, type Limits, type Turn } from './limiter/limiter.js';
import { ownLimits } from './limiter/own-limits.js';
import { laneOf } from './limiter/permits.js';
import { OBSERVED } from './observed-codes.js';
import { attempts } from './retry.js';
import { type Delivery, get, TransportError } from './transport.js';
import { isUnread, type Verdict, verdictOf } from './verdict.js';

export type { Verdict } from './verdict.js';

export interface ClientOptions {
  readonly host: Host;
  readonly hosts: Hosts;
  /** Gives the keys, or throws a Failure `credentials` that says what is missing. */
  readonly credentials: () => Credentials;
  readonly budget: Budget;
  /** Keeps what is known of the exchange's clock. Absent: it is found out anew. */
  readonly clockMemory?: ClockMemory;
  /**
   * Called where the host refused the connection, so that not a byte of the request left: starts what should be there.
   * Absent for hosts that are not pit's to start.
   */
  readonly revive?: () => Promise<void>;
  /** The exchange's limits, kept together with other processes. Absent: this client keeps them by itself. */
  readonly limits?: Limits;
  /** Takes a line about each request, secrets already masked. */
  readonly trace?: (line: string) => void;
  /** Looks at each answer that is as it should be. */
  readonly look?: (answered: Answered) => void;
}

/** The longest that one read may take before it is tried again. */
const READ_TIMEOUT_MS = 10_000;
/** A write waits longer, because an answer is worth more than asking for it afterwards; half of the budget is kept for that. */
const WRITE_TIMEOUT_MS = 15_000;

/** The thin signed HTTP layer: calls an operation by its name and gives its checked result. */
export class ExchangeClient {
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
    const { effect }: Operation = operations[name];
    if (effect === 'write') throw new Error(`${name} is a write and is sent once`);
    const { host, budget } = this.#options;
    try {
      return await attempts(host, budget, () => this.#readInTime(name, values));
    } catch (error) {
      throw failureOf(error, name, this.#limits.breaker?.until);
    }
  }

  /**
   * Whether the exchange looks at a request with this `reqTime` (milliseconds since the Unix epoch) at all. Asks with an
   * operation that changes nothing, once. Throws Failure as {@link read} where no answer came.
   */
  async takes<Name extends OperationName>(name: Name, values: ValuesOf<Name>, reqTime: number): Promise<boolean> {
    const { effect }: Operation = operations[name];
    if (effect !== 'read') throw new Error(`${name} changes something`);
    try {
      await this.#paced(name, values, reqTime);
      return true;
    } catch (error) {
      if (!(error instanceof Refused) || isUnread(error)) throw failureOf(error, name, this.#limits.breaker?.until);
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
    const { budget } = this.#options;
    if (budget.leftMs === 0) return { kind: 'notSent', reason: 'no time was left for it', failure: 'unreachable' };
    this.#check(name, values);
    try {
      const turn = await this.#turn(name);
      if (!goes()) {
        await turn.unused();
        return { kind: 'notSent', reason: 'it was taken back', failure: 'declined' };
      }
      const delivery = { fresh: true, timeoutMs: Math.min(WRITE_TIMEOUT_MS, budget.leftMs / 2) };
      return { kind: 'done', answer: await inTurn(turn, () => this.#exchange(name, values, reqTime, delivery)) };
    } catch (error) {
      return verdictOf(error);
    }
  }

  /** A clock that is wrong is found out by the very answer that refuses its time, and the next attempt has the right one. */
  async #readInTime<Name extends OperationName>(name: Name, values: ValuesOf<Name>) {
    const { offset } = this.#clock;
    try {
      return await this.#paced(name, values, this.now());
    } catch (error) {
      const isLate = error instanceof Refused && error.code === OBSERVED.expired;
      if (!isLate || this.#clock.offset === offset) throw error;
      return this.#paced(name, values, this.now());
    }
  }

  async #paced<Name extends OperationName>(name: Name, values: ValuesOf<Name>, reqTime: number) {
    const { budget } = this.#options;
    const turn = await this.#turn(name);
    const timeoutMs = Math.min(READ_TIMEOUT_MS, budget.leftMs);
    return inTurn(turn, () => this.#exchange(name, values, reqTime, { fresh: false, timeoutMs }));
  }

  #turn(name: OperationName): Promise<Turn> {
    const { bucket, effect }: Operation = operations[name];
    return this.#limiter.turn({ bucket, lane: laneOf(name), mayTry: effect === 'read' });
  }

  /** Everything that can be wrong before anything is sent. */
  #check<Name extends OperationName>(name: Name, values: ValuesOf<Name>): void {
    try {
      this.#url(name, values, this.now());
    } catch (error) {
      throw failureOf(error, name);
    }
  }

  async #exchange<Name extends OperationName>(name: Name, values: ValuesOf<Name>, reqTime: number, delivery: Delivery) {
    try {
      return await this.#send(name, values, reqTime, delivery);
    } catch (error) {
      const { revive } = this.#options;
      const nobodyThere = error instanceof TransportError && error.fault === 'refused' && !error.sent;
      if (!nobodyThere || revive === undefined) throw error;
      await revive();
      return this.#send(name, values, reqTime, delivery);
    }
  }

  async #send<Name extends OperationName>(name: Name, values: ValuesOf<Name>, reqTime: number, delivery: Delivery) {
    const url = this.#url(name, values, reqTime);
    const { host, trace } = this.#options;
    const start = host.now();
    try {
      const { status, body, date } = await get(url, delivery);
      this.#learn(name, date, start);
      trace?.(
        `GET ${host.redaction.apply(url)} -> HTTP ${status}, ${body.length} characters, ${host.now() - start} ms`,
      );
      if (status !== 200) throw new BadStatus(status);
      const answer = readResponse(name, body);
      this.#options.look?.({ name, values, answer } as unknown as Answered);
      return answer;
    } catch (error) {
      if (error instanceof TransportError)
        trace?.(`GET ${host.redaction.apply(url)} -> ${error.message}, ${host.now() - start} ms`);
      throw error;
    }
  }

  /** Only the trade host's clock counts: it judges `reqTime`, and market data may come out of somebody's cache. */
  #learn(name: OperationName, date: number | null, sent: number): void {
    if (date === null || (operations[name] as Operation).access !== 'signed') return;
    this.#clock.learn({ date, sent, received: this.#options.host.now() });
  }

  #url<Name extends OperationName>(name: Name, values: ValuesOf<Name>, reqTime: number): string {
    const { hosts, credentials, host } = this.#options;
    const operation: Operation = operations[name];
    const parameters = checkedParameters(name, values);
    requireSafeHost(operation.access === 'public' ? hosts.baseUrl : hosts.tradeUrl);
    if (operation.access === 'public') return marketDataUrl(name, hosts, parameters);
    if (operation.access === 'open') return openUrl(name, hosts, parameters);
    const keys = credentials();
    this.#keepSecret(operation, parameters, keys);
    const url = signedUrl(name, hosts, parameters, keys, reqTime);
    host.redaction.keep(new URL(url).searchParams.get('sign') ?? '');
    return url;
  }

  #keepSecret(
    operation: Operation,
    parameters: ReadonlyMap<string, string>,
    { accessKey, secretKey }: Credentials,
  ): void {
    const { redaction } = this.#options.host;
    redaction.keep(accessKey);
    redaction.keep(secretKey);
    for (const [name, value] of parameters) {
      if (operation.parameters[name]?.kind.secret === true) redaction.keep(value);
    }
  }
}
