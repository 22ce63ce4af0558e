import { Decimal } from '../../domain/decimal.js';
import { usage } from '../../errors.js';
import { RECORDED_MINUTES, recordedMinutes } from '../../sandbox/markets/recorded-minutes.js';
import { MARKETS } from '../../sandbox/markets/market.js';
import { type RecordedCandle, printsOf } from '../../sandbox/replay/recording.js';
import { type ReadingTerms, readTape } from '../../sandbox/replay/read-tape.js';
import type { TapeEvent } from '../../sandbox/replay/tape-event.js';

/** The name of the tape that comes with pit. */
export const SANDBOX_TAPE = 'sandbox';
const SANDBOX_MARKET = 'btc_usdt';
/** assets/README.md */
const SANDBOX_START = Date.parse('2023-03-01T00:00:00Z');
const MINUTE = 60_000;

/** The events of a tape one by one, the next of which is known. */
export class Tape {
  readonly #events: AsyncIterator<TapeEvent>;

  /** Undefined at the end. */
  next: TapeEvent | undefined;
  /** What was taken so far: the first and the last moment of events that move a market, and how many they were. */
  from: number | undefined;
  to: number | undefined;
  /** The lines and rows that they came from. */
  documents = 0;
  gaps = 0;
  #place = '';

  private constructor(events: AsyncIterator<TapeEvent>) {
    this.#events = events;
  }

  /** Opens files, or the tape of a name. Throws Failure `usage` for what cannot be read, or has no event. */
  static async open(files: readonly string[], terms: ReadingTerms): Promise<Tape> {
    const isNamed = files.length === 1 && files[0] === SANDBOX_TAPE;
    const events = isNamed ? sandboxTape(terms) : readTape(files, terms);
    const tape = new Tape(events[Symbol.asyncIterator]());
    await tape.#read();
    if (tape.next === undefined) throw usage(`${files.join(', ')}: nothing happens in that time.`, EMPTY_HINT);
    return tape;
  }

  /** Takes the next event. Throws Failure `usage` for a fault of the file. */
  async take(): Promise<TapeEvent | undefined> {
    const event = this.next;
    if (event === undefined) return undefined;
    if (event.kind === 'gap') this.gaps += 1;
    else if (event.kind !== 'config') {
      this.from ??= event.time;
      this.to = event.time;
    }
    const place = `${event.line} ${event.file}`;
    if (place !== this.#place) this.documents += 1;
    this.#place = place;
    await this.#read();
    return event;
  }

  async close(): Promise<void> {
    await this.#events.return?.();
  }

  async #read(): Promise<void> {
    const { done, value } = await this.#events.next();
    this.next = done === true ? undefined : value;
  }
}

const EMPTY_HINT = 'Give a tape with trades, candles or books, or another --from and --to.';

/** The recorded minutes of the sandbox, as the events of a file of candles. */
async function* sandboxTape({ from = 0, to = Number.POSITIVE_INFINITY }: ReadingTerms): AsyncGenerator<TapeEvent> {
  const rules = MARKETS.get(SANDBOX_MARKET);
  if (rules === undefined) throw new RangeError(`no market ${SANDBOX_MARKET}`);
  const where = { market: SANDBOX_MARKET, file: SANDBOX_TAPE };
  const { base, quote, priceScale, amountScale, minAmount, minNotional } = rules;
  const start = Math.max(from, SANDBOX_START);
  yield { ...where, ...{ kind: 'config', line: 0, time: start }, ...{ base, quote, priceScale, amountScale, minAmount, minNotional } };
  const { open, high, low, close, volume } = recordedMinutes();
  const ticks = (column: Int32Array, minute: number) => BigInt(column[minute] ?? 0);
  for (let minute = 0; minute < RECORDED_MINUTES; minute += 1) {
    const candle: RecordedCandle = {
      ...{ time: SANDBOX_START + minute * MINUTE, length: MINUTE },
      ...{ open: ticks(open, minute), high: ticks(high, minute), low: ticks(low, minute), close: ticks(close, minute) },
      volume: BigInt(volume[minute] ?? 0),
    };
    for (const { time: date, side, price, amount } of printsOf(candle)) {
      if (date >= to) return;
      const isPast = date < from;
      const texts = {
        price: Decimal.fromUnits(price, priceScale).toString(),
        amount: Decimal.fromUnits(amount, amountScale).toString(),
      };
      yield { ...where, ...{ kind: 'candle', line: minute + 1, time: isPast ? from : date, date }, side, ...texts, isPast };
    }
  }
}
