import { CANDLE_MS, type CandleType } from '../../domain/candle.js';
import { compareIds } from '../../domain/market-data.js';
import { quoted } from '../../errors.js';
import { isoTime } from '../../terminal/time.js';
import type { RowCheck, SeriesRow } from './series-file.js';

/** How far the clock of this machine may be behind that of the exchange. */
const CLOCK_SLACK_MS = 15 * 60_000;

const DECIMAL = /^\d+(\.\d+)?$/;
const ID = /^\d{1,19}$/;

/** Candles that are missing: opening times of the first and the last one. */
export interface CandleGap {
  readonly from: string;
  readonly to: string;
  readonly candles: number;
}

export function gapOf(from: number, to: number, step: number): CandleGap {
  return { from: isoTime(from), to: isoTime(to), candles: Math.floor((to - from) / step) + 1 };
}

/** Checks the candles of a file one after the other, and remembers the gaps between them. */
export class CandleCheck implements RowCheck {
  readonly #now: number;

  #gaps: CandleGap[] = [];
  #last: { readonly row: SeriesRow; readonly time: number } | undefined;

  /** @param now in milliseconds since the Unix epoch */
  constructor(now: number) {
    this.#now = now;
  }

  get gaps(): readonly CandleGap[] {
    return this.#gaps;
  }

  begin(): void {
    this.#gaps = [];
    this.#last = undefined;
  }

  problem(row: SeriesRow): string | undefined {
    const last = this.#last;
    const time = Date.parse(row.time ?? '');
    const step = CANDLE_MS[row.type as CandleType];
    if (step === undefined) return `has an unknown type: ${quoted(row.type ?? '')}`;
    if (last !== undefined && (row.market !== last.row.market || row.type !== last.row.type))
      return `is a ${row.type} candle of ${row.market}, unlike the rows before it`;
    const problem =
      timeProblem(row, time, this.#now) ?? decimalProblem(row, ['open', 'high', 'low', 'close', 'volume']);
    if (problem !== undefined) return problem;
    if (last !== undefined) {
      if (time <= last.time) return `is not later than the line before it: ${row.time}`;
      if ((time - last.time) % step !== 0) return `has a time at which no ${row.type} candle begins: ${row.time}`;
      if (time - last.time > step) this.#gaps.push(gapOf(last.time + step, time - step, step));
    }
    this.#last = { row, time };
    return undefined;
  }
}

/** Checks the trades of a file one after the other. */
export class TradeCheck implements RowCheck {
  readonly #now: number;

  #last: SeriesRow | undefined;

  /** @param now in milliseconds since the Unix epoch */
  constructor(now: number) {
    this.#now = now;
  }

  begin(): void {
    this.#last = undefined;
  }

  problem(row: SeriesRow): string | undefined {
    const last = this.#last;
    const { market = '', id = '', side = '' } = row;
    if (last !== undefined && market !== last.market) return `is a trade in ${market}, unlike the rows before it`;
    if (!ID.test(id)) return `has an invalid id: ${quoted(id)}`;
    if (last !== undefined && compareIds(id, last.id ?? '') <= 0)
      return `has an id that is not higher than the one before it: ${id}`;
    if (side !== 'buy' && side !== 'sell') return `has an invalid side: ${quoted(side)}`;
    this.#last = row;
    return timeProblem(row, Date.parse(row.time ?? ''), this.#now) ?? decimalProblem(row, ['price', 'amount']);
  }
}

function timeProblem({ time = '' }: SeriesRow, milliseconds: number, now: number): string | undefined {
  if (Number.isNaN(milliseconds) || isoTime(milliseconds) !== time) return `has an invalid time: ${quoted(time)}`;
  return milliseconds > now + CLOCK_SLACK_MS ? `is in the future: ${time}` : undefined;
}

function decimalProblem(row: SeriesRow, fields: readonly string[]): string | undefined {
  const wrong = fields.find((field) => !DECIMAL.test(row[field] ?? ''));
  return wrong === undefined ? undefined : `has an invalid ${wrong}: ${quoted(row[wrong] ?? '')}`;
}
