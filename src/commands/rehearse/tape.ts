import { setImmediate as endOfTurn } from 'node:timers/promises';
import { Decimal } from '../../domain/decimal.js';
import type { MarketRules } from '../../sandbox/markets/market.js';
import { RECORDED_MINUTES, recordedMinutes } from '../../sandbox/markets/recorded-minutes.js';
import { emptyPart, planTape } from '../../sandbox/replay/load-tape.js';
import { type ReadingTerms, readTapeInBlocks } from '../../sandbox/replay/read-tape.js';
import { TapeDocuments } from '../../sandbox/replay/tape-documents.js';
import { isPast, type TapeEvent } from '../../sandbox/replay/tape-event.js';

/** The name of the tape that comes with pit. */
const SANDBOX_TAPE = 'sandbox';
const SANDBOX_MARKET = 'btc_usdt';
/** As assets/README.md says. */
const SANDBOX_START = Date.parse('2023-03-01T00:00:00Z');
const MINUTE = 60_000;
/** For a reading that only checks. */
const QUICKEST = { kind: 'ohlc' } as const;

/** So many minutes of the sandbox are read at a time. */
const BLOCK = 250;

type Blocks = AsyncIterator<readonly TapeEvent[]> | Iterator<readonly TapeEvent[]>;

/** The events of a tape, one by one, with a look at the next. */
export class TapeReader {
  readonly #blocks: Blocks;

  #block: readonly TapeEvent[] = [];
  #at = 0;
  #isOver = false;
  /** When the first and the last event that moved a market were taken. */
  from: number | undefined;
  to: number | undefined;
  /** How many lines and rows the taken events came from. */
  documents = 0;
  gaps = 0;
  #line = 0;
  #file = '';

  private constructor(
    blocks: Blocks,
    readonly markets: readonly string[],
    readonly rules: readonly MarketRules[],
    /** Markets whose rules are guessed by what the tape shows. */
    readonly guessed: readonly MarketRules[],
    /** In milliseconds; 0 without candles. */
    readonly longestCandle: number,
  ) {
    this.#blocks = blocks;
  }

  /**
   * Opens files, or the tape of a name. Files are read once as a whole, so that a faulty tape is refused before anything begins. Throws Failure
   * `usage` for what cannot be read, or has no event.
   */
  static async open(files: readonly string[], terms: ReadingTerms): Promise<TapeReader> {
    const isNamed = files.length === 1 && files[0] === SANDBOX_TAPE;
    const plan = isNamed
      ? undefined
      : await planTape(files, { ...terms, path: QUICKEST }, Number.POSITIVE_INFINITY, new Map());
    if (plan?.isPast) throw emptyPart();
    const blocks =
      plan === undefined ? sandboxTape(terms) : readTapeInBlocks(files, { ...terms, amountScale: plan.amountScale });
    const markets = plan === undefined ? [SANDBOX_MARKET] : [...plan.markets.keys()];
    const tape = new TapeReader(blocks, markets, plan?.rules ?? [], plan?.guessed ?? [], plan?.longestCandle ?? MINUTE);
    await tape.read();
    if (tape.next === undefined) throw emptyPart();
    return tape;
  }

  /** Undefined at the end, and if {@link needsRead}. */
  get next(): TapeEvent | undefined {
    return this.#block[this.#at];
  }

  /** Whether more has to be read before {@link next} is known. */
  get needsRead(): boolean {
    return this.#at === this.#block.length && !this.#isOver;
  }

  /** Takes the next event. */
  take(): TapeEvent | undefined {
    const event = this.next;
    if (event === undefined) return undefined;
    this.#at += 1;
    if (event.kind === 'config' || isPast(event)) return event;
    if (event.kind === 'gap') this.gaps += 1;
    else {
      this.from ??= event.time;
      this.to = event.time;
    }
    // a line that was cut off is a gap of no channel
    const isWhole = event.kind !== 'gap' || event.channel !== '';
    if (isWhole && (event.line !== this.#line || event.file !== this.#file)) this.documents += 1;
    [this.#line, this.#file] = [event.line, event.file];
    return event;
  }

  /** Reads on. Throws Failure `usage` for a fault of the file. */
  async read(): Promise<void> {
    while (this.needsRead) {
      // signals are noticed between two blocks
      await endOfTurn();
      const { done, value } = await this.#blocks.next();
      if (done === true) this.#isOver = true;
      else [this.#block, this.#at] = [value, 0];
    }
  }

  async close(): Promise<void> {
    await this.#blocks.return?.();
  }
}

/** The recorded minutes of the sandbox, as the rows of `pit kline --out`. */
function* sandboxTape({
  path,
  from = Number.NEGATIVE_INFINITY,
  to = Number.POSITIVE_INFINITY,
}: ReadingTerms): Generator<readonly TapeEvent[]> {
  const documents = new TapeDocuments(SANDBOX_TAPE, from, path);
  const { open, high, low, close, volume } = recordedMinutes();
  const price = (column: Int32Array, minute: number) => Decimal.fromUnits(BigInt(column[minute] ?? 0), 2).toString();
  const rowAt = (minute: number) => ({
    ...{ market: SANDBOX_MARKET, type: '1min', time: new Date(SANDBOX_START + minute * MINUTE).toISOString() },
    ...{ open: price(open, minute), high: price(high, minute), low: price(low, minute), close: price(close, minute) },
    volume: Decimal.fromUnits(BigInt(volume[minute] ?? 0), 6).toString(),
  });
  const end = from < SANDBOX_START + RECORDED_MINUTES * MINUTE ? RECORDED_MINUTES : 0;
  for (let begin = 0; begin < end && SANDBOX_START + begin * MINUTE < to; begin += BLOCK) {
    const events: TapeEvent[] = [];
    for (let minute = begin; minute < Math.min(begin + BLOCK, end); minute += 1)
      events.push(...documents.readRow(minute + 1, rowAt(minute)));
    yield events.flatMap((event) => within(event, from, to));
  }
}

/** The part of an event that is in a range of time: what is before shows the past. */
function within(event: TapeEvent, from: number, to: number): TapeEvent[] {
  if (event.time >= to) return [];
  if (event.time >= from) return [event];
  return event.kind === 'past' ? [{ ...event, time: from }] : [];
}
