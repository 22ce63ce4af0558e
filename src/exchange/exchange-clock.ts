import type { Host } from '../platform/host.js';

/** Keeps the clock difference between commands, in milliseconds; undefined if unknown. */
export interface ClockStore {
  read(): number | undefined;
  write(offsetMs: number): void;
}

/** What a response shows of the exchange's clock. All times are in milliseconds since the Unix epoch. */
interface ClockSample {
  /** The response's `Date`, which counts whole seconds. */
  readonly date: number;
  readonly sent: number;
  readonly received: number;
}

const DATE_STEP_MS = 1_000;
/** Smaller differences are ignored: they are within the request lifetime, and corrections would make the clock jump. */
const SLACK_MS = 1_000;

/**
 * The exchange's clock: this machine's, corrected by the `Date` of responses. `reqTime` has to be near it; how near is not
 * documented.
 */
export class ExchangeClock {
  #offset: number;

  constructor(
    private readonly host: Pick<Host, 'now'>,
    private readonly store?: ClockStore,
  ) {
    this.#offset = store?.read() ?? 0;
  }

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return this.host.now() + this.#offset;
  }

  /** How far the exchange is ahead of this machine, in milliseconds; 0 until a response shows a difference. */
  get offset(): number {
    return this.#offset;
  }

  /** Learns from a response: the exchange wrote its `Date` between sending and receiving, which bounds the difference. */
  addSample({ date, sent, received }: ClockSample): void {
    const [min, max] = [date - received, date + DATE_STEP_MS - sent];
    const isPossible = (offset: number) => offset >= min - SLACK_MS && offset <= max + SLACK_MS;
    if (isPossible(this.#offset)) return;
    this.#offset = isPossible(0) ? 0 : Math.round((min + max) / 2);
    this.store?.write(this.#offset);
  }
}
