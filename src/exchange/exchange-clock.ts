import type { Host } from '../platform/host.js';

/** Where the difference of the clocks outlives a command. In milliseconds; undefined where none is known. */
export interface ClockMemory {
  read(): number | undefined;
  write(offsetMs: number): void;
}

/** What an answer tells of the exchange's clock; all in milliseconds since the Unix epoch. */
interface ClockSample {
  /** The answer's `Date`, which counts whole seconds. */
  readonly date: number;
  readonly sent: number;
  readonly received: number;
}

const DATE_STEP_MS = 1_000;
/** Not worth a correction: the tolerance of `reqTime` is wider, and a clock that is corrected all the time has no history. */
const SLACK_MS = 1_000;

/**
 * The exchange's clock, to which `reqTime` has to be near: this machine's, corrected by what the answers' `Date` proves.
 * How near is not documented.
 */
export class ExchangeClock {
  #offset: number;

  constructor(
    private readonly host: Pick<Host, 'now'>,
    private readonly memory?: ClockMemory,
  ) {
    this.#offset = memory?.read() ?? 0;
  }

  /** Milliseconds since the Unix epoch. */
  now(): number {
    return this.host.now() + this.#offset;
  }

  /** How far the exchange is ahead of this machine, in milliseconds; 0 while no answer has shown a difference. */
  get offset(): number {
    return this.#offset;
  }

  /** Takes in a sample, which bounds the difference: the exchange wrote its `Date` between the sending and the receiving. */
  learn({ date, sent, received }: ClockSample): void {
    const [least, most] = [date - received, date + DATE_STEP_MS - sent];
    const isPossible = (offset: number) => offset >= least - SLACK_MS && offset <= most + SLACK_MS;
    if (isPossible(this.#offset)) return;
    this.#offset = isPossible(0) ? 0 : Math.round((least + most) / 2);
    this.memory?.write(this.#offset);
  }
}
