import { Decimal } from '../../domain/decimal.js';
import type { CandleEvent } from '../../sandbox/replay/tape-event.js';
import type { AlgoDocument } from '../algo/view/algo-fields.js';
import type { AccountRecord } from './account-record.js';
import type { Report } from './report.js';

interface FilledCandle {
  readonly market: string;
  /** In milliseconds since the Unix epoch. */
  readonly from: number;
  readonly until: number;
  low: Decimal;
  high: Decimal;
  /** How many fills there were before it, and at its end. */
  readonly before: number;
}

/** The candles in which the account traded, to find those that reached both exits of an algo order. */
export class ExitCandles {
  readonly #record: AccountRecord;
  readonly #current = new Map<string, FilledCandle>();
  readonly #filled: FilledCandle[] = [];

  constructor(record: AccountRecord) {
    this.#record = record;
  }

  add({ market, date, until, price }: CandleEvent): void {
    const at = Decimal.of(price);
    const current = this.#current.get(market);
    if (current?.until === until) {
      if (at.compare(current.low) < 0) current.low = at;
      if (at.compare(current.high) > 0) current.high = at;
      return;
    }
    this.#keep(current);
    const before = this.#record.fills.length;
    this.#current.set(market, { market, from: date, until, low: at, high: at, before });
  }

  /** How many candles in which an algo order filled had both its exits; null if it has not both. */
  bothReached(algo: AlgoDocument | null): Report['bothExits'] {
    const { take = null, level = null } = algo?.exit ?? {};
    if (algo === null || take === null || level === null) return null;
    for (const current of this.#current.values()) this.#keep(current);
    this.#current.clear();
    const exits = [Decimal.of(take), Decimal.of(level)];
    const both = this.#filled.filter(
      ({ market, low, high }) =>
        market === algo.market && exits.every((price) => price.compare(low) >= 0 && price.compare(high) <= 0),
    );
    const triggered = algo.trigger === null ? Number.NaN : Date.parse(algo.trigger.time);
    const stopped = both.filter(({ from, until }) => triggered >= from && triggered < until).length;
    return { stopped, taken: both.length - stopped };
  }

  #keep(candle: FilledCandle | undefined): void {
    if (candle === undefined) return;
    const { fills } = this.#record;
    if (fills.slice(candle.before).some(({ market }) => market === candle.market)) this.#filled.push(candle);
  }
}
