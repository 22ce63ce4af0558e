import { paceOf } from '../../../client/pace.js';
import { Decimal } from '../../../protocol/decimal.js';
import { paintSide, sideText } from '../../../terminal/cells.js';
import { grouped } from '../../../terminal/numbers.js';
import type { Screen } from '../../../terminal/screen.js';
import { type Entry, record } from '../../../terminal/table.js';
import { MOST_PAIRS } from '../../../trading/batch/job.js';
import { totals } from '../../../trading/batch/lines.js';
import type { BatchLine, BatchTerms } from '../../../trading/journal/intent.js';

/** A job as the user is asked about it. */
export interface ShownJob extends Pick<BatchTerms, 'market' | 'side' | 'account'> {
  readonly job: string;
  /** The orders that are to be sent. */
  readonly lines: readonly BatchLine[];
  readonly base: string;
  readonly quote: string;
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
  const { side, base, quote } = shown;
  const { orders, requests, amount, notional, lowest, highest } = summaryOf(shown.lines);
  const seconds = Math.max(1, Math.ceil(paceOf('key', requests) / 1_000));
  const entries: Entry[] = [
    ['side', sideText(side), (text, paint) => paintSide(text, side, paint)],
    ['market', shown.market],
    ...(shown.earlier === undefined ? [] : [['so far', shown.earlier] as Entry]),
    ['orders', `${grouped(String(orders))} in ${counted(requests, 'request')}, about ${seconds} s`],
    ['amount', `${grouped(amount)} ${base}`],
    ['prices', lowest === null ? null : `${grouped(lowest)} to ${grouped(highest ?? lowest)} ${quote}`],
    [side === 'buy' ? 'costs at most' : 'brings at least', `${grouped(notional)} ${quote} before the fee`],
    ['account', shown.account === 'spot' ? 'spot' : `${shown.account} margin`],
    ['job', shown.job],
    ['exchange', shown.exchange],
  ];
  return record(screen, entries);
}

export function counted(count: number, thing: string): string {
  return `${grouped(String(count))} ${thing}${count === 1 ? '' : 's'}`;
}
