import { counted, Decimal, formatAmount, grouped } from '../../domain/decimal.js';
import { paintChange, signed } from '../../terminal/cells.js';
import type { Screen } from '../../terminal/screen.js';
import { type RecordLine, record as recordTable } from '../../terminal/table.js';
import { wrapped } from '../../terminal/text.js';
import { localTime } from '../../terminal/time.js';
import type { AccountRecord } from './account-record.js';
import type { Report } from './report.js';

/** Of a value that people read. */
const DECIMALS = 2;

const LIMITS =
  'A replay cannot answer your orders: nobody reacts to them, what was not recorded is unknown, and within a candle the order of the ' +
  'prices is a guess. A real market fills worse.';

/** The report for people. */
export function showReport(
  report: Report,
  record: AccountRecord,
  { isInterrupted, hasCandles }: { readonly isInterrupted: boolean; readonly hasCandles: boolean },
): (screen: Screen) => string {
  const { tape, orders, fills, refused, fees, faults, algo, bothExits } = report;
  const { unit, drawdown } = record;
  const count = (value: number) => grouped(String(value));
  const value = (amount: string | null) => (amount === null ? 'unknown' : `${grouped(rounded(amount))} ${unit}`);
  const change = (label: string, amount: string | null): RecordLine => {
    const text = amount === null ? 'unknown' : value(signed(rounded(amount)));
    return [label, text, (shown, paint) => paintChange(shown, amount, paint)];
  };
  const share = drawdown.share === null ? '' : ` (${Decimal.of(drawdown.share).times(Decimal.of('100')).trimmed()}%)`;
  const gaps = tape.gaps === 0 ? '' : `, with ${tape.gaps} ${tape.gaps === 1 ? 'gap' : 'gaps'}`;
  const entries: RecordLine[] = [
    ['tape', `${time(tape.from)} to ${time(tape.to)}${isInterrupted ? ', interrupted' : ''}`],
    ['replayed', `${count(tape.documents)} documents${gaps}`],
    ...(hasCandles
      ? [['path in candles', report.seed === null ? report.path : `${report.path}:${report.seed}`] as RecordLine]
      : []),
    ...(algo === null
      ? []
      : [['algo order', algo.reason === null ? algo.state : `${algo.state}: ${algo.reason}`] as RecordLine]),
    ...(bothExits === null || bothExits.stopped + bothExits.taken === 0
      ? []
      : [['both exits reached', bothExitsText(bothExits)] as RecordLine]),
    ['orders', count(orders)],
    ['fills', count(fills)],
    ...report.beyondVolume.map(
      ({ coin, amount }): RecordLine => ['filled beyond the recorded volume', `${formatAmount(amount)} ${coin}`],
    ),
    ['refused', count(refused)],
    ...(report.refusedReads === 0 ? [] : [['refused reads', count(report.refusedReads)] as RecordLine]),
    ['fees', fees.map(({ coin, amount }) => `${formatAmount(amount)} ${coin ?? ''}`).join(', ') || 'none'],
    change('realised', report.realised),
    change('unrealised', report.unrealised),
    change('net', report.net),
    change('held instead', report.held),
    change('gain of the orders', report.gain.orders),
    ['worst drawdown', `${value(report.drawdown)}${share}`],
    ['slippage', value(report.slippage)],
    ...faults.map(
      ({ kind, applied, executed }): RecordLine => ['fault', `${kind}: applied ${applied} times, ${executed} executed`],
    ),
  ];
  return (screen) => {
    const width = screen.width === Number.POSITIVE_INFINITY ? 100 : screen.width;
    return [recordTable(screen, entries), '', screen.paint.faint(wrapped(LIMITS, width))].join('\n');
  };
}

/** With the decimals that people read, rounded half away from zero. */
function rounded(amount: string): string {
  const value = Decimal.of(amount);
  const half = Decimal.fromUnits(value.sign < 0 ? -5n : 5n, DECIMALS + 1);
  return value.plus(half).rescaled(DECIMALS, 'down').toString();
}

function bothExitsText({ stopped, taken }: NonNullable<Report['bothExits']>): string {
  return `in ${counted(stopped + taken, 'candle')}: stop first in ${stopped}, take first in ${taken}, a guess`;
}

function time(text: string | null): string {
  return text === null ? 'nothing' : localTime(Date.parse(text));
}
