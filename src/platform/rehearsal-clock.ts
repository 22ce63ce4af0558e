import { Failure } from '../errors.js';
import { readTextBounded } from './files/bounded-file.js';
import { replaceFile } from './files/replacement.js';
import type { Host } from './host.js';

/** Names the file with the clock of the rehearsal in which pit runs, as a part of the rehearsed program. */
export const REHEARSAL_CLOCK = 'PIT_CLOCK';

/** The clock showed `shown` when this machine's showed `real`, both in ms since the Unix epoch. Until it begins, `real` is null. */
export interface ClockAnchor {
  /** The address of the exchange whose clock it is. */
  readonly exchange: string;
  readonly shown: number;
  readonly real: number | null;
  /** How many times as fast as this machine's it runs. */
  readonly speed: number;
}

const LONGEST_FILE = 1_000;

/** Writes the file that {@link RehearsalClock} reads. */
export function writeClock(file: string, anchor: ClockAnchor): void {
  replaceFile(file, `${JSON.stringify(anchor)}\n`);
}

/** The clock of a rehearsal for a pit in the rehearsed program: that of the exchange, which may run faster than this machine's. */
export class RehearsalClock {
  readonly #file: string;
  readonly #host: Pick<Host, 'now' | 'sleep'>;
  #anchor: ClockAnchor;

  private constructor(file: string, host: Pick<Host, 'now' | 'sleep'>, anchor: ClockAnchor) {
    this.#file = file;
    this.#host = host;
    this.#anchor = anchor;
  }

  /** Undefined outside of a rehearsed program, and for another exchange. Throws Failure `usage` if the variable names no such file. */
  static of(host: Pick<Host, 'now' | 'sleep' | 'environment'>): RehearsalClock | undefined {
    const { [REHEARSAL_CLOCK]: file, PIT_TRADE_URL } = host.environment;
    if (file === undefined || file === '') return undefined;
    const anchor = readClock(file);
    return anchor.exchange === PIT_TRADE_URL ? new RehearsalClock(file, host, anchor) : undefined;
  }

  get speed(): number {
    return this.#anchor.speed;
  }

  /** Milliseconds since the Unix epoch. */
  now(): number {
    // it begins with the first request of the program
    if (this.#anchor.real === null) this.#anchor = readClock(this.#file);
    const { shown, real, speed } = this.#anchor;
    return real === null ? shown : shown + Math.floor(Math.max(0, this.#host.now() - real) * speed);
  }

  /** Waits by this clock. Ends early if it is aborted. */
  readonly sleep: Host['sleep'] = (milliseconds, signal) => this.#host.sleep(milliseconds / this.speed, signal);
}

/** What waits by the clock of the exchange: of this machine, or of the rehearsal. */
export function sleepOfMarket(host: Pick<Host, 'now' | 'sleep' | 'environment'>): Host['sleep'] {
  return RehearsalClock.of(host)?.sleep ?? host.sleep;
}

function readClock(file: string): ClockAnchor {
  let anchor: unknown;
  try {
    anchor = JSON.parse(readTextBounded(file, LONGEST_FILE));
  } catch {
    anchor = null;
  }
  if (isAnchor(anchor)) return anchor;
  throw new Failure('usage', `${REHEARSAL_CLOCK} names no clock of a rehearsal: ${file}.`, {
    hint: 'pit rehearse sets it for the program that it runs. Unset it elsewhere.',
  });
}

function isAnchor(value: unknown): value is ClockAnchor {
  if (typeof value !== 'object' || value === null) return false;
  const { exchange, shown, real, speed } = value as Partial<Record<keyof ClockAnchor, unknown>>;
  return (
    typeof exchange === 'string' &&
    typeof shown === 'number' &&
    (real === null || typeof real === 'number') &&
    typeof speed === 'number' &&
    speed > 0
  );
}
