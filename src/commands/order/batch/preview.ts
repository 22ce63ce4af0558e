import { Decimal } from '../../../domain/decimal.js';
import type { Market } from '../../../domain/market.js';
import { timeFor } from '../../../exchange/limiter/limits.js';
import { paintSide, sideText } from '../../../terminal/cells.js';
import { grouped } from '../../../terminal/numbers.js';
import type { Screen } from '../../../terminal/screen.js';
import { type Entry, record } from '../../../terminal/table.js';
import { MOST_PAIRS } from '../../../trading/batches/job.js';
import { totals } from '../../../trading/batches/lines.js';
import type { BatchLine, BatchTerms } from '../../../trading/journal/intent.js';
import { distanceFrom } from '../../../trading/market-view.js';
import type { BatchFacts } from '../../../trading/preview/batch.js';
import { bookEntry, moneyEntries } from '../preview.js';

/** A job as the user is asked about it. */
export interface ShownJob extends Pick<BatchTerms, 'side' | 'account'> {
  readonly job: string;
  readonly market: Market;
  /** The orders that are to be sent. */
  readonly lines: readonly BatchLine[];
  /** With those that an earlier run has sent. */
  readonly all: readonly BatchLine[];
  readonly facts: BatchFacts;
  readonly warnings: readonly string[];
  /** The guards, where nobody is asked. */
  readonly guards: readonly string[];
  /** Host and profile. */
  readonly exchange: string;
  /** What is known of an earlier run. */
  readonly earlier?: string;
}

/** What orders come to, for programs and people. */
export function summaryOf(lines: readonly BatchLine[]) {
  const { amount, notional } = totals(lines);
  const prices = lines.map(([, price]) => Decimal.of(price)).sort((left, right) => left.compare(right));
  return {
    orders: lines.length,
    requests: Math.ceil(lines.length / MOST_PAIRS),
    amount: amount.trimmed().toString(),
    notional: notional.trimmed().toString(),
    lowest: prices[0]?.toString() ?? null,
    highest: prices.at(-1)?.toString() ?? null,
  };
}

/** What a job will do and where it goes. */
export function preview(screen: Screen, shown: ShownJob): string {
  const { side, market, facts } = shown;
  const { base, quote } = market;
  const { orders, requests, amount, notional, lowest, highest } = summaryOf(shown.lines);
  const seconds = Math.max(1, Math.ceil(timeFor(requests) / 1_000));
  const entries: Entry[] = [
    ['side', sideText(side), (text, paint) => paintSide(text, side, paint)],
    ['market', market.market],
    ...(shown.earlier === undefined ? [] : [['so far', shown.earlier] as Entry]),
    ['orders', `${grouped(String(orders))} in ${counted(requests, 'request')}, about ${seconds} s`],
    ['amount', `${grouped(amount)} ${base}`],
    ['prices', lowest === null ? null : `${grouped(lowest)} to ${grouped(highest ?? lowest)} ${quote}`],
    ['from mid', distances(facts, [lowest, highest])],
    bookEntry(market, facts),
    ['fill at once', facts.crossing === null ? null : crossingText(facts.crossing, orders)],
    [side === 'buy' ? 'costs at most' : 'brings at least', `${grouped(notional)} ${quote} before the fee`],
    ...moneyEntries(shown, market, facts),
    ['account', shown.account === 'spot' ? 'spot' : `${shown.account} margin`],
    ['job', shown.job],
    ['exchange', shown.exchange],
    ...shown.guards.map((guard): Entry => ['guard', guard, (text, paint) => paint.bad(text)]),
    ...shown.warnings.map((warning): Entry => ['warning', warning, (text, paint) => paint.warn(text)]),
  ];
  return record(screen, entries);
}

function distances({ reference }: BatchFacts, prices: readonly (string | null)[]): string | null {
  const known = [...new Set(prices.flatMap((price) => price ?? []))];
  if (reference === null || known.length === 0) return null;
  const from = (price: string) => distanceFrom(Decimal.of(price), reference).trimmed();
  const signed = known.map(from).map((percent) => `${percent.sign > 0 ? '+' : ''}${percent}%`);
  return `${signed.join(' to ')} of ${grouped(reference.price.trimmed().toString())}`;
}

function crossingText(crossing: number, orders: number): string {
  if (crossing === 0) return 'nothing';
  return `${grouped(String(crossing))} of ${grouped(String(orders))} reach the other side of the book`;
}

export function counted(count: number, thing: string): string {
  return `${grouped(String(count))} ${thing}${count === 1 ? '' : 's'}`;
}
